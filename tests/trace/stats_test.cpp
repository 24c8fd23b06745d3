// What charm::stats() tells of a worker's time, wakes, migrations and waiting tasks.
#include <charm/charm.hpp>

#include <atomic>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "sched/run/work_times.hpp"
#include "sched/running.hpp"

using charm::os::TickClock;
using charm::sched::WorkTimes;

namespace {

void wait_until(const auto& condition) {
  while (!condition()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST(WorkTimes, EveryMomentBelongsToOneState) {
  TickClock clock;
  WorkTimes times;
  const std::uint64_t begun = clock.now();
  times.start(clock);
  for (int i = 0; i < 100; ++i) times.enter(static_cast<WorkTimes::State>(i % 3), clock);
  const auto ticks = times.read(clock);
  const std::uint64_t all = clock.now() - begun;
  EXPECT_LE(ticks[0] + ticks[1] + ticks[2], all + 400) << "rounding: a few ticks a change";
}

TEST(WorkTimes, MayBeReadWhileTheyChange) {
  TickClock clock;
  WorkTimes times;
  times.start(clock);
  std::atomic<bool> over{false};
  std::thread owner([&] {
    for (int i = 0; i < 20000; ++i) times.enter(static_cast<WorkTimes::State>(i % 3), clock);
    over = true;
  });
  std::uint64_t last = 0;
  while (!over) {
    const auto ticks = times.read(clock);
    const std::uint64_t sum = ticks[0] + ticks[1] + ticks[2];
    EXPECT_GE(sum + 100000, last) << "time does not run backwards, but for what cores differ by";
    last = sum;
  }
  owner.join();
}

TEST(Stats, ARunningTaskIsBusyTimeBeforeItEnds) {
  Running runtime(2);
  std::atomic<bool> stop{false};
  auto future = charm::call_async(1, [&] {
    while (!stop) charm::yield();
  });
  const auto before = charm::stats().workers[1];
  wait_until([&] { return charm::stats().workers[1].busy_ns > before.busy_ns + 3000000; });
  stop = true;
  future.get();
}

TEST(Stats, AWorkerWithoutWorkIsParkedAndWokenByACall) {
  Running runtime(2);
  wait_until([] { return charm::stats().workers[1].parked_ns > 2000000; });
  const auto before = charm::stats().workers[1];
  EXPECT_GE(before.parks, 1U);
  // One call may find it awake, since its first sleep is a short one.
  wait_until([&] {
    charm::call(1, [] {});
    return charm::stats().workers[1].wakes > before.wakes;
  });
  EXPECT_GT(charm::stats().workers[1].idle_share(), 0);
  EXPECT_LE(charm::stats().workers[1].idle_share(), 1);
}

TEST(Stats, TellsHowManyTasksWait) {
  Running runtime(1);
  std::atomic<bool> open{false};
  constexpr std::uint64_t waiting = 50;
  charm::run([&] {
    auto gate = charm::async([&] {
      while (!open) charm::yield();
    });
    std::vector<charm::future<void>> futures;
    std::atomic<int> started{0};
    std::vector<charm::future<void>> gates;
    for (std::uint64_t i = 0; i < waiting; ++i) {
      futures.push_back(charm::async([&] {
        ++started;
        while (!open) charm::yield();
      }));
    }
    while (started < static_cast<int>(waiting)) charm::yield();
    EXPECT_GE(charm::stats().fibers, waiting);
    open = true;
    for (auto& future : futures) future.get();
    gate.get();
  });
  // The thread that called run() has resumed; nothing is left.
  EXPECT_EQ(charm::stats().fibers, 0U);
}

TEST(Stats, CountsTasksThatGoOnElsewhere) {
  Running runtime(2);
  // Tasks that wait for one another all over the place; sooner or later one continues on the other worker.
  wait_until([] {
    charm::run([] {
      charm::task_group group;
      for (int i = 0; i < 200; ++i) {
        group.run([] {
          auto inner = charm::call_async(1 - charm::worker_id(), [] {});
          inner.get();
          charm::yield();
        });
      }
      group.wait();
    });
    return charm::stats().total().migrations > 0;
  });
}

}  // namespace
