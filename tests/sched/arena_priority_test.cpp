// Cores that arenas and the rest of the program share: who gets one, and that nobody waits for ever.
#include <charm/charm.hpp>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "sched/on_paper.hpp"
#include "sched/run/runtime.hpp"
#include "sched/running.hpp"

namespace {

using charm::Priority;
using charm::test::on_paper;
using namespace std::chrono_literals;

/// Turns for whose turn everybody waits, so that the order does not depend on the clock.
void wait_for_turns() {
  auto& times = charm::sched::Runtime::get().family.core_turns.times;
  times.patience.fill(10h);
  times.slice = 10h;
}

/// Until `count` workers wait for the core.
void until_core_waited_for(int cpu, int count) {
  while (charm::sched::Runtime::get().family.core_turns.waiting(cpu) < count) std::this_thread::yield();
}

/// Runs `function` as worker 0, and not while another worker that looks for work has its core.
template <class F>
void run_with_core(F&& function) {
  const auto& worker = *charm::sched::Runtime::get().workers[0];
  while (!charm::run([&] {
    if (charm::worker_id() != 0 || worker.contender.cpu != worker.worker_core().cpu) return false;
    function();
    return true;
  })) {
  }
}

TEST(ArenaPriority, DecidesWhoGetsACoreThatBecomesFree) {
  Running runtime(1, on_paper("pack:1 l3:1 core:1 pu:1"));
  wait_for_turns();
  charm::arena low({.priority = Priority::low});
  charm::arena normal({.priority = Priority::normal});
  charm::arena high({.priority = Priority::high});
  for (int round = 0; round < 20; ++round) {
    std::mutex mutex;
    std::vector<Priority> order;
    auto note = [&](const charm::arena& arena) {
      const std::lock_guard lock(mutex);
      order.push_back(arena.priority());
    };
    std::vector<charm::future<void>> all;
    run_with_core([&] {
      for (charm::arena* arena : {&low, &normal, &high}) all.push_back(arena->async([&, arena] { note(*arena); }));
      until_core_waited_for(0, 3);
    });
    for (auto& each : all) each.get();
    EXPECT_EQ(order, (std::vector{Priority::high, Priority::normal, Priority::low}));
  }
}

TEST(ArenaPriority, AHighOneComesBetweenTheBlocksOfALoop) {
  Running runtime(1, on_paper("pack:1 l3:1 core:1 pu:1"));
  wait_for_turns();
  charm::arena high({.priority = Priority::high});
  std::atomic<bool> came{false};
  charm::future<void> task;
  run_with_core([&] {
    task = high.async([&] { came = true; });
    until_core_waited_for(0, 1);
    EXPECT_FALSE(came) << "it has no core";
    while (!came) charm::parallel_for(0, 1000, [](int) {});  // for ever, if it did not give way
  });
  task.get();
}

TEST(ArenaPriority, AWorkerWhoseCoreIsFreeComesInPlaceOfOneThatWaits) {
  Running runtime(2, on_paper("pack:1 l3:1 core:2 pu:1"));
  wait_for_turns();
  charm::arena arena({.workers = 2});
  for (int round = 0; round < 50; ++round) {
    charm::run([&] {  // has one of the cores; the other worker sleeps sooner or later
      std::atomic<bool> done{false};
      arena.run_detached([&] { done = true; });
      while (!done) std::this_thread::yield();
    });
  }
}

TEST(ArenaPriority, NobodyWaitsForALongFunctionForEver) {
  Running runtime(1, on_paper("pack:1 l3:1 core:1 pu:1"));
  charm::arena low({.priority = Priority::low});
  charm::run([&] {
    std::atomic<bool> done{false};
    low.run_detached([&] { done = true; });
    while (!done) std::this_thread::yield();  // without leaving the core
  });
}

}  // namespace
