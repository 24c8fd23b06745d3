// A program with races between two tasks on two workers, which the sanitizer must find. One alone may be missed: where
// one task comes late, what the scheduler does in between orders the two by accident.
#include <charm/charm.hpp>

#include <array>
#include <atomic>
#include <cstdio>

int main() {
  charm::init({.workers = 2, .share_cores = true});
  std::array<int, 200> plain{};
  for (int& each : plain) {
    std::atomic<int> here{0};
    charm::all_do([&] {
      ++here;
      while (here.load(std::memory_order_relaxed) < 2) charm::yield();
      for (int i = 0; i < 1000; ++i) ++each;
    });
  }
  charm::finalize();
  std::puts(plain.back() > 0 ? "racy: not found" : "racy: wrong");
}
