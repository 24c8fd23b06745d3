// A program that stands still with a known set of tasks, for the gdb script to look at. It stops in all_are_waiting().
#include <charm/charm.hpp>

#include <atomic>
#include <cstdio>

namespace {
std::atomic<bool> open{false};
std::atomic<int> inside{0};
}  // namespace

extern "C" [[gnu::noinline]] void all_are_waiting() { std::puts("all are waiting"); }

extern "C" [[gnu::noinline]] void wait_for_the_gate(int depth) {
  if (depth > 0) {
    wait_for_the_gate(depth - 1);
  } else {
    ++inside;
    while (!open) charm::yield();
  }
  asm volatile("");  // keeps the frame: no tail call
}

int main() {
  charm::Config config;
  config.workers = 2;
  config.share_cores = true;
  charm::init(config);
  charm::arena arena({.workers = 1, .name = "queries"});
  charm::future<void> in_arena = arena.async([] { wait_for_the_gate(4); });
  charm::run([] {
    charm::future<void> tasks[3];
    for (auto& task : tasks) task = charm::call_async(1, [] { wait_for_the_gate(4); });
    while (inside < 4) charm::yield();
    all_are_waiting();
    open = true;
    for (auto& task : tasks) task.get();
  });
  in_arena.get();
  charm::finalize();
}
