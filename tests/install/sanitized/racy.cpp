// A program with a race between two tasks on two workers, which the sanitizer must find.
#include <charm/charm.hpp>

#include <atomic>
#include <cstdio>

int main() {
  charm::init({.workers = 2, .share_cores = true});
  int plain = 0;
  std::atomic<int> here{0};
  charm::all_do([&] {
    ++here;
    while (here.load(std::memory_order_relaxed) < 2) charm::yield();
    for (int i = 0; i < 1000; ++i) ++plain;
  });
  charm::finalize();
  std::puts(plain > 0 ? "racy: not found" : "racy: wrong");
}
