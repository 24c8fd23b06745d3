// Time limits: the heap that orders them, and tasks that sleep or wait with one.
#include <atomic>
#include <chrono>
#include <map>
#include <rapidcheck.h>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "fiber/sanitizers.hpp"
#include "sched/running.hpp"
#include "sched/wait/timer_heap.hpp"

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

TEST(TimerHeap, AlwaysTellsTheEarliestOfThoseThatAreIn) {
  EXPECT_TRUE(rc::check([] {
    const auto steps = *rc::gen::container<std::vector<std::pair<int, int>>>(
        rc::gen::pair(rc::gen::inRange(0, 40), rc::gen::inRange(0, 100)));
    std::vector<charm::sched::Timer> timers(40);
    std::map<int, std::int64_t> in;
    charm::sched::TimerHeap heap;
    for (auto [which, deadline] : steps) {
      auto& timer = timers[static_cast<std::size_t>(which)];
      if (in.count(which) != 0 || deadline < 10) {  // also removes what is not in it
        heap.remove(timer);
        in.erase(which);
      } else {
        timer.deadline_ns = deadline;
        heap.add(timer);
        in[which] = deadline;
      }
      if (deadline % 5 == 0 && heap.earliest() != nullptr) {
        in.erase(static_cast<int>(heap.earliest() - timers.data()));
        heap.remove(*heap.earliest());
      }
      RC_ASSERT((heap.earliest() == nullptr) == in.empty());
      std::int64_t least = INT64_MAX;
      for (auto [key, value] : in) least = std::min(least, value);
      if (!in.empty()) RC_ASSERT(heap.earliest()->deadline_ns == least);
    }
    std::int64_t last = 0;
    std::size_t count = 0;
    for (; heap.earliest() != nullptr; ++count) {
      RC_ASSERT(heap.earliest()->deadline_ns >= last);
      last = heap.earliest()->deadline_ns;
      heap.remove(*heap.earliest());
    }
    RC_ASSERT(count == in.size());
  }));
}

class Timers : public testing::TestWithParam<int> {
 protected:
  Running runtime_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Workers, Timers, testing::Values(1, 2, 4));

TEST_P(Timers, ASleepIsNeverShorterThanAsked) {
  auto body = [] {
    for (auto time : {0us, 1us, 100us, 3000us}) {
      auto start = Clock::now();
      charm::sleep_for(time);
      EXPECT_GE(Clock::now() - start, time);
    }
    charm::sleep_for(-1s);
    charm::sleep_until(Clock::now() - 1h);
    auto wall = std::chrono::system_clock::now() + 2ms;
    charm::sleep_until(wall);
    EXPECT_GE(std::chrono::system_clock::now() + 1ms, wall);
  };
  body();
  charm::run(body);
}

/// Between its time and what it does then a sleeper may lose its cpu for as long as the system likes, so that another
/// is first now and then; one that wakes before its time, or an order that never comes right, is a mistake.
TEST_P(Timers, SleepersWakeInTheOrderOfTheirTimes) {
  std::vector<int> order;
  auto attempt = [&] {
    order.clear();
    charm::mutex mutex;
    charm::run([&] {
      charm::task_group group;
      const auto start = Clock::now() + 5ms;
      for (int i : {4, 1, 3, 0, 2}) {
        group.run([&, i] {
          charm::sleep_until(start + i * 20ms);
          EXPECT_GE(Clock::now(), start + i * 20ms);
          std::lock_guard lock(mutex);
          order.push_back(i);
        });
      }
      group.wait();
    });
    return order == std::vector<int>{0, 1, 2, 3, 4};
  };
  bool right = false;
  for (int i = 0; i < 300 && !right; ++i) right = attempt();
  EXPECT_TRUE(right) << testing::PrintToString(order) << " in the last of many attempts";
}

TEST_P(Timers, OtherTasksRunWhileOneSleeps) {
  std::atomic<bool> awake{false};
  long turns = 0;
  charm::run([&] {
    auto sleeper = charm::async([&] {
      charm::sleep_for(10ms);
      awake = true;
    });
    while (!awake) {
      charm::yield();
      ++turns;
    }
    sleeper.get();
  });
  EXPECT_GT(turns, 0);
}

TEST_P(Timers, ABusyWorkerDoesNotHoldUpTheSleepersOfAnIdleOne) {
  if (GetParam() < 2) GTEST_SKIP() << "needs a second worker";
  std::atomic<bool> woken{false};
  charm::run([&] {
    auto sleeper = charm::async([&] {
      charm::sleep_for(2ms);
      woken = true;
    });
    charm::yield();
    while (!woken) {  // never returns to the scheduler: the other worker keeps the time
    }
    sleeper.get();
  });
}

TEST_P(Timers, ManySleepAtOnce) {
#if defined(CHARM_TSAN)
  constexpr int count = 500;
#elif defined(CHARM_ASAN)
  constexpr int count = 2000;
#else
  constexpr int count = 20000;
#endif
  std::atomic<int> woken{0};
  charm::run([&] {
    std::vector<charm::future<void>> sleepers;
    for (int i = 0; i < count; ++i) {
      sleepers.push_back(charm::async([&, i] {
        charm::sleep_for(std::chrono::microseconds(i * 7919 % 20000));
        ++woken;
      }));
    }
    for (auto& sleeper : sleepers) sleeper.get();
  });
  EXPECT_EQ(woken, count);
}

TEST_P(Timers, AFutureIsWaitedForWithALimit) {
  charm::run([] {
    charm::latch gate(1);
    auto future = charm::async([&] {
      gate.wait();
      return 5;
    });
    EXPECT_FALSE(future.wait_for(1ms));
    EXPECT_FALSE(future.wait_until(Clock::now()));
    gate.count_down();
    EXPECT_TRUE(future.wait_for(1h));
    EXPECT_EQ(future.get(), 5);
    charm::future<void> none;
    EXPECT_THROW(none.wait_for(1ms), charm::Error);
  });
  charm::latch gate(1);
  auto from_outside = charm::async([&] { gate.wait(); });
  EXPECT_FALSE(from_outside.wait_for(10us));
  std::thread([&] {
    EXPECT_FALSE(from_outside.wait_for(10us));
    gate.count_down();
    EXPECT_TRUE(from_outside.wait_for(1h));
  }).join();
}

TEST_P(Timers, TimeLimitsAndCompletionsThatMeetLoseNoWakeUp) {
  charm::run([] {
    for (int i = 0; i < 300; ++i) {
      auto future = charm::async([i] { charm::sleep_for(std::chrono::microseconds(i % 30)); });
      while (!future.wait_for(std::chrono::microseconds(i % 17))) {
      }
    }
  });
}

TEST_P(Timers, BoundTasksWakeOnTheirWorker) {
  charm::all_do([](int worker) {
    for (int i = 0; i < 5; ++i) {
      charm::sleep_for(300us);
      EXPECT_EQ(charm::worker_id(), worker);
    }
  });
}

TEST(TimersAtTheEnd, FinalizeWaitsForSleepers) {
  std::atomic<int> woken{0};
  {
    Running runtime(2);
    for (int i = 0; i < 20; ++i) {
      charm::run_detached([&woken, i] {
        charm::sleep_for(std::chrono::milliseconds(i));
        charm::yield();
        ++woken;
      });
    }
  }
  EXPECT_EQ(woken, 20);
}

TEST(TimersIdle, AnIdleRuntimeThatKeepsTheTimeTakesNextToNoCpu) {
  Running runtime(2);
  auto cpu_time = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec +
           1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  };
  // Workers that are kept from their cpus go to sleep late, and then the next attempt counts.
  double used = 1;
  for (int attempt = 0; attempt < 100 && used >= 0.05; ++attempt) {
    auto sleeper = charm::async([] { charm::sleep_for(400ms); });
    std::this_thread::sleep_for(50ms);
    const double before = cpu_time();
    std::this_thread::sleep_for(300ms);
    used = cpu_time() - before;
    sleeper.get();
  }
  EXPECT_LT(used, 0.05) << "seconds of cpu in 300 ms";
}

}  // namespace
