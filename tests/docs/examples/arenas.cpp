// The example of docs/arenas.md, with something to search and to count.
#include <charm/charm.hpp>

#include <atomic>
#include <string>

namespace {

std::atomic<int> counted{0};
void count_everything() {
  charm::parallel_for(0, 1000, [](int) { ++counted; });
}

long search(const std::string& word) {
  return charm::parallel_reduce(
      0, 1000, 0L, [&](int first, int last, long sum) { return sum + (last - first) * static_cast<long>(word.size()); },
      [](long a, long b) { return a + b; });
}

}  // namespace

int main() {
  charm::init();
  bool right = false;
  {
#include "arenas_1.inc"
    right = found == 7000 && later.get() == 4000;
  }  // both arenas have ended
  charm::finalize();
  return right && counted == 1000 ? 0 : 1;
}
