// Work that an idle worker could run and nobody gives it, and waits that end late because their thread runs something
// else. Nothing is timed: each test counts who ran what beside whom, and a wait that never ends is given up after far
// too long.
#include <charm/charm.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

#include "os/threads/affinity.hpp"
#include "sched/run/runtime.hpp"
#include "sched/running.hpp"

namespace {

using namespace std::chrono_literals;
using charm::sched::Runtime;
using charm::stealing::Flag;

/// Looks again and again. \return whether it became true before far too long had passed.
bool becomes_true(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + 20s;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(50us);
  }
  return true;
}

int asleep() {
  const Runtime& runtime = Runtime::get();
  int all = 0;
  for (int g = 0; g < runtime.places.flags.groups(); ++g) all += runtime.places.flags.count(Flag::asleep, g);
  return all;
}

/// Forks a child and returns only when somebody else has run it, or after far too long. \return whether somebody has.
bool fork_is_helped() {
  std::atomic<bool> taken{false};
  bool helped = false;
  charm::invoke([&] { helped = becomes_true([&] { return taken.load(); }); }, [&] { taken = true; });
  return helped;
}

TEST(LostWork, TheFirstJobOfAWorkerMayBeThereBeforeItsFirstSearch) {
  for (int round = 0; round < 12; ++round) {
    Running runtime(2);
    ASSERT_TRUE(charm::call_async(1, fork_is_helped).get()) << "in round " << round;
  }
}

// The thread that called init().

/// A job for worker 1 that forks two children as soon as the thread that called init() has lent itself, or will not.
/// The thread's wait must not run one of them.
template <class F>
auto forking_beside_a_waiter(F&& child) {
  return charm::call_async(1, [child] {
    for (int i = 0; i < 200 && !Runtime::get().loan.guest_waits(); ++i) std::this_thread::sleep_for(50us);
    charm::invoke(child, child);
  });
}

/// The children end when the waiter has come back: a waiter that ran one itself would not come back before.
TEST(LostWork, ATimedWaitOutsideEndsBesideJobsThatGoOn) {
  for (int round = 0; round < 5; ++round) {
    Running runtime(2);
    ASSERT_TRUE(becomes_true([] { return asleep() == 2; }));
    std::atomic<bool> back{false};
    std::atomic<int> in_time{0};
    auto job = forking_beside_a_waiter([&] { in_time += becomes_true([&] { return back.load(); }) ? 1 : 0; });
    EXPECT_FALSE(job.wait_for(50ms));
    back = true;
    job.get();
    ASSERT_EQ(in_time, 2) << "in round " << round;
  }
}

TEST(LostWork, AThreadThatHoldsALockRunsNoTasksInGet) {
  const auto self = std::this_thread::get_id();
  std::atomic<int> on_this_thread{0};
  for (int round = 0; round < 5; ++round) {
    Running runtime(2);
    ASSERT_TRUE(becomes_true([] { return asleep() == 2; }));
    std::mutex mutex;
    std::lock_guard lock(mutex);
    std::atomic<int> begun{0};
    forking_beside_a_waiter([&] {
      if (std::this_thread::get_id() == self) ++on_this_thread;  // here mutex.lock() would never return
      ++begun;
      becomes_true([&] { return begun == 2; });
    }).get();
  }
  EXPECT_EQ(on_this_thread, 0);
}

/// As above for a task that may go on only where it is.
TEST(LostWork, ATimedWaitOfACallEndsBesideAJobThatGoesOn) {
  Running runtime(3);
  for (int round = 0; round < 5; ++round) {
    for (int worker = 0; worker < 3; ++worker) {
      ASSERT_TRUE(becomes_true([] { return asleep() == 3; }));  // the other two are free
      charm::call(worker, [] {
        std::atomic<bool> back{false};
        std::atomic<int> in_time{0};
        auto wait = [&] { in_time += becomes_true([&] { return back.load(); }) ? 1 : 0; };
        auto one = charm::async(wait);
        auto two = charm::async(wait);
        EXPECT_FALSE(one.wait_for(20ms));
        back = true;
        one.get();
        two.get();
        EXPECT_EQ(in_time, 2);
      });
    }
  }
}

/// Nobody else is free: then whoever waits with a limit works, too.
TEST(LostWork, CallsThatWaitWithALimitRunTheirOwnJobsWhereNobodyElseIsFree) {
  for (int workers : {1, 2}) {
    Running runtime(workers);
    std::atomic<int> ended{0};
    charm::all_do([&](int) {
      auto job = charm::async([&] { ++ended; });
      EXPECT_TRUE(job.wait_for(60s));
    });
    EXPECT_EQ(ended, workers);
  }
}

/// More workers than cpus, all of which wait with short limits for jobs of their own.
TEST(LostWork, CallsThatWaitWithALimitDoNotAllLeaveTheirJobsToEachOther) {
  Running runtime(8);
  std::atomic<bool> late{false};
  const auto end = std::chrono::steady_clock::now() + 60s;
  for (int round = 0; round < 100 && !late; ++round) {
    charm::all_do([&](int) {
      for (int i = 0; i < 4; ++i) {
        auto job = charm::async([] { charm::yield(); });
        while (!late && !job.wait_for(50us)) late = late || std::chrono::steady_clock::now() > end;
        job.get();
      }
    });
  }
  EXPECT_FALSE(late);
}

/// While the thread that called init() is worker 0, another worker begins to fork; then it leaves for good.
TEST(LostWork, AWorkerThatWasLentHelpsThoseWhoWereBusyMeanwhile) {
  charm::Config config;
  config.deadlock = "off";  // it looks around after a second, which would help
  for (int round = 0; round < 3; ++round) {
    Running runtime(2, config);
    ASSERT_TRUE(becomes_true([] { return asleep() == 2; }));
    std::this_thread::sleep_for(30ms);  // until it sleeps without a limit
    std::atomic<bool> over{false};
    std::atomic<long> forks{0};
    std::atomic<long> helped{0};
    charm::future<void> longer;
    charm::run([&] {
      charm::call(0, [&] {  // worker 1 may have stolen what called this
        longer = charm::call_async(1, [&] {
          while (!over) {
            charm::invoke([&] { ++forks; },
                          [&] {
                            if (charm::worker_id() == 0) ++helped;
                          });
          }
        });
        EXPECT_TRUE(becomes_true([&] { return forks > 1000; }));
      });
    });
    const long before = helped;
    EXPECT_TRUE(becomes_true([&] { return helped > before; }));
    over = true;
    longer.get();
  }
}

/// That thread is worker 0 nearly all the time, and the worker's own thread must find work all the same.
TEST(LostWork, AWorkerThatIsLentAgainAndAgainHelpsOthers) {
  for (int round = 0; round < 10; ++round) {
    Running runtime(2);
    charm::future<bool> helped = charm::call_async(1, fork_is_helped);
    while (!helped.ready()) {
      charm::run([] {
        const auto end = std::chrono::steady_clock::now() + 50us;
        while (std::chrono::steady_clock::now() < end) std::this_thread::yield();
      });
    }
    ASSERT_TRUE(helped.get()) << "in round " << round;
  }
}

/// A worker that never runs out of work does not search.
TEST(LostWork, AWorkerWithEnoughToDoHelpsOthersAllTheSame) {
  Running runtime(2);
  std::atomic<bool> over{false};
  charm::future<void> enough = charm::call_async(0, [&] {
    while (!over) charm::yield();
  });
  EXPECT_TRUE(charm::call_async(1, fork_is_helped).get());
  over = true;
  enough.get();
}

/// A worker whose deque is full looks at the others, too, and what it takes from them has to have a place.
TEST(LostWork, AWorkerWithAFullDequeLosesNothingThatItTakes) {
  constexpr int full = static_cast<int>(charm::detail::Deque::capacity);
  struct Counted {
    charm::task_group group;
    std::atomic<std::int64_t> made{0}, ran{0};
    void make(int count) {
      made.fetch_add(count);
      for (int i = 0; i < count; ++i) group.run([this] { ran.fetch_add(1, std::memory_order_relaxed); });
    }
  };
  auto counted = std::make_unique<Counted>();  // lost tasks would keep the group from its end
  Running runtime(2);
  std::atomic<bool> enough{false};
  charm::future<void> makes = charm::call_async(1, [&] {
    while (!enough) counted->make(64);
  });
  charm::call_async(0, [&] {
    const charm::sched::Tally& taken = Runtime::get().workers[0]->tally;
    enough = !becomes_true([&] {
      counted->make(full);
      charm::yield();
      return taken.steals_chiplet + taken.steals_node + taken.steals_far >= 10;
    });
    EXPECT_FALSE(enough) << "nothing was taken";
    enough = true;
  }).get();
  makes.get();
  const bool all = becomes_true([&] { return counted->ran == counted->made; });
  EXPECT_TRUE(all) << counted->made - counted->ran << " tasks are lost";
  if (all)
    charm::run([&] { counted.reset(); });
  else
    static_cast<void>(counted.release());
}

// A worker that looks around of its own accord may come first, which is rare; one that is woken for each job comes
// first nearly always.

/// Until all sleep, and have looked around for the last time before.
void let_all_sleep() {
  ASSERT_TRUE(becomes_true([] {
    const auto& workers = Runtime::get().workers;
    return std::all_of(workers.begin(), workers.end(),
                       [](const auto& w) { return w->slot.state().is() == charm::sched::WorkerSlot::Is::parked; });
  }));
  std::this_thread::sleep_for(1ms);
}

/// A thread outside may run on any worker's cpu; the thread that called init() may, while it is outside.
TEST(LostWork, WorkFromOutsideWakesTheWorkerOnTheSameCpuLast) {
  constexpr int rounds = 20;
  for (const bool lend : {false, true}) {
    charm::Config config;
    config.deadlock = "off";  // it looks around after a second
    config.lend_caller = lend;
    Running runtime(2, config);
    const auto cores = charm::worker_cores();
    if (cores[0].cpu == cores[1].cpu) GTEST_SKIP() << "both workers have the same cpu";
    for (int beside = 0; beside < (lend ? 1 : 2); ++beside) {  // a lent worker 0 comes last in any case
      int by_it = 0;
      std::thread([&] {
        ASSERT_TRUE(charm::os::bind_this_thread({cores[static_cast<std::size_t>(beside)].cpu}));
        const charm::on_chiplet chiplet{cores[0].chiplet};
        for (int round = 0; round < rounds; ++round) {
          let_all_sleep();
          by_it += (round % 2 == 0 ? charm::async([] { return charm::worker_id(); }) : charm::call_async(chiplet, [] {
                     return charm::worker_id();
                   })).get() == beside;
        }
      }).join();
      if (cores[0].chiplet == cores[1].chiplet) {
        EXPECT_LT(by_it, rounds / 2) << "beside worker " << beside;
      }
    }
  }
}

}  // namespace
