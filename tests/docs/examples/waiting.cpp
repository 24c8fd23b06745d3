// The examples of docs/waiting.md, with lines to send, channels to select from, requests, and a pipe to read.
#include <charm/charm.hpp>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

using namespace std::chrono_literals;

std::atomic<int> answered{0};
std::atomic<int> logged{0};

#include "waiting_3.inc"
void Server::answer(const std::string& request) { answered += request == "request" ? 1 : 0; }

#include "waiting_4.inc"
void log(const std::string&) { logged += user.get() == "anna" ? 1 : 0; }

// Compiled, and not run: there is nothing to make here.
[[maybe_unused]] int makes() {
#include "waiting_6.inc"
  return status;
}

bool selects() {
  int worked = 0;
  int obeyed = 0;
  charm::channel<int> jobs;
  charm::channel<std::string> control;
  auto work = [&](int job) { worked += job; };
  charm::latch told(1);
  auto obey = [&](const std::optional<std::string>& order) {
    obeyed += order == "go" ? 1 : 0;
    told.count_down();
  };
  auto tick = [] {};
  control.send("go");
  auto sender = charm::async([&] {
    told.wait();
    for (int i = 1; i <= 10; ++i) jobs.send(i);
    jobs.close();
  });
#include "waiting_2.inc"
  sender.get();
  return worked == 55 && obeyed == 1;
}

}  // namespace

int main() {
  charm::init();
  std::size_t used = 0;
  long got = 0;
  bool selected = false;
  charm::run([&] {
    auto use = [&](const std::string& line) { used += line.size(); };
    std::vector<std::string> input(100, "line");
#include "waiting_1.inc"
    selected = selects();
    charm::channel<std::string> requests;
    for (int i = 0; i < 10; ++i) requests.send("request");
    requests.close();
    Server().serve(requests);
    handle("anna");
    int ends[2];
    if (pipe(ends) != 0 || write(ends[1], "ab", 2) != 2) return;
    const int descriptor = ends[0];
    char buffer[8];
    const std::size_t size = sizeof buffer;
#include "waiting_5.inc"
    got = static_cast<long>(bytes);
  });
  charm::finalize();
  return used == 400 && got == 2 && selected && answered == 10 && logged == 6 ? 0 : 1;
}
