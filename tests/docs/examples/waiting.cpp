// The examples of docs/waiting.md, with lines to send and a pipe to read.
#include <charm/charm.hpp>

#include <string>
#include <unistd.h>
#include <vector>

int main() {
  charm::init();
  std::size_t used = 0;
  long got = 0;
  charm::run([&] {
    auto use = [&](const std::string& line) { used += line.size(); };
    std::vector<std::string> input(100, "line");
#include "waiting_1.inc"
    int ends[2];
    if (pipe(ends) != 0 || write(ends[1], "ab", 2) != 2) return;
    const int descriptor = ends[0];
    char buffer[8];
    const std::size_t size = sizeof buffer;
#include "waiting_2.inc"
    got = static_cast<long>(bytes);
  });
  charm::finalize();
  return used == 400 && got == 2 ? 0 : 1;
}
