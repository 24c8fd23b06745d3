// Waiting suspends the task and never blocks the worker; memory stays bounded.
#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "fiber/sanitizers.hpp"
#include "sched/running.hpp"

namespace {

class Waiting : public testing::TestWithParam<int> {
 protected:
  Running runtime_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Workers, Waiting, testing::Values(1, 2, 4));

TEST_P(Waiting, AChainOfFuturesLongerThanTheWorkers) {
  std::atomic<int> order{0};
  charm::run([&] {
    std::vector<charm::future<int>> chain;
    chain.push_back(charm::async([&] { return order++; }));
    for (int i = 1; i < 500; ++i) {
      chain.push_back(charm::async([&, i, before = std::move(chain.back())]() mutable {
        EXPECT_LT(before.get(), i + 1);
        return order++;
      }));
    }
    EXPECT_EQ(chain.back().get(), 499);
  });
}

TEST_P(Waiting, ATaskMayWaitInsideACatchBlock) {
  charm::run([&] {
    charm::task_group group;
    std::atomic<int> caught{0};
    for (int i = 0; i < 200; ++i) {
      group.run([&, i] {
        try {
          throw i;
        } catch (int) {
          for (int k = 0; k < 3; ++k) {
            charm::yield();  // other tasks throw and catch on this thread meanwhile, and this one may go on elsewhere
            charm::async([] { charm::yield(); }).get();
          }
          try {
            throw;
          } catch (int value) {
            if (value == i) ++caught;
          }
        }
        EXPECT_EQ(std::current_exception(), nullptr);
      });
    }
    group.wait();
    EXPECT_EQ(caught, 200);
  });
}

TEST_P(Waiting, YieldLetsEverybodyRun) {
  charm::run([&] {
    std::atomic<bool> flag{false};
    charm::task_group group;
    group.run([&] {
      while (!flag) charm::yield();
    });
    auto waiting = charm::async([&] {
      while (!flag) charm::yield();
      return 1;
    });
    for (int i = 0; i < 100; ++i) charm::yield();
    auto setter = charm::async([&] { flag = true; });
    EXPECT_EQ(waiting.get(), 1);
    setter.get();
    group.wait();
  });
}

TEST_P(Waiting, BoundTasksThatYieldStarveNobody) {
  std::atomic<bool> flag{false};
  charm::all_do([&](int worker) {
    if (worker == 0) {
      auto job = charm::async([&] { flag = true; });
      while (!flag) charm::yield();
      job.get();
    } else {
      while (!flag) charm::yield();
    }
  });
  EXPECT_TRUE(flag);
}

TEST_P(Waiting, BodiesOfAllDoStayOnTheirWorkers) {
  charm::all_do([&](int worker) {
    for (int i = 0; i < 50; ++i) {
      EXPECT_EQ(charm::worker_id(), worker);
      charm::yield();
      charm::async([] {}).get();
    }
  });
}

TEST_P(Waiting, TheBarrierHoldsEverybody) {
  int n = GetParam();
  std::vector<std::atomic<int>> round(static_cast<std::size_t>(n));
  charm::all_do([&](int worker) {
    for (int i = 1; i <= 200; ++i) {
      round[static_cast<std::size_t>(worker)] = i;
      charm::barrier();
      for (auto& other : round) EXPECT_GE(other, i);
      charm::barrier();
    }
  });
}

TEST_P(Waiting, AllDoNests) {
  std::atomic<int> calls{0};
  charm::all_do([&] { charm::all_do([&] { ++calls; }); });
  EXPECT_EQ(calls, GetParam() * GetParam());
}

TEST_P(Waiting, AllDoRethrows) {
  EXPECT_THROW(charm::all_do([](int worker) {
                 if (worker == 0) throw std::runtime_error("one of them");
               }),
               std::runtime_error);
}

TEST_P(Waiting, CallsAnswerEachOther) {
  int n = GetParam();
  std::atomic<int> hops{0};
  struct Ring {
    int n;
    std::atomic<int>& hops;
    int go(int left) const {
      ++hops;
      if (left == 0) return charm::worker_id();
      int to = (charm::worker_id() + 1) % n;
      return charm::call(to, [*this, left] { return go(left - 1); });
    }
  };
  EXPECT_EQ(charm::call(0, [&] { return Ring{n, hops}.go(100); }), 100 % n);
  EXPECT_EQ(hops, 101);
}

long sum_to(long n) {
  if (n == 0) return 0;
  long a = 0;
  long b = 0;
  charm::invoke([&] { a = sum_to(n - 1); }, [&] { b = 1; });
  return a + b;
}

#if defined(CHARM_TSAN)
constexpr long deep = 5000;  // ThreadSanitizer's shadow stack ends at 65,536 frames
#else
constexpr long deep = 100000;
#endif
TEST_P(Waiting, RecursionIsAsDeepAsMemory) {
  EXPECT_EQ(charm::run([] { return sum_to(deep); }), deep);
}

TEST_P(Waiting, ManyTasksWaitAtOnceInBoundedMemory) {
  constexpr int count = 5000;
  std::atomic<bool> open{false};
  std::atomic<int> through{0};
  charm::run([&] {
    charm::task_group group;
    auto gate = charm::async([&] {
      while (!open) charm::yield();
    });
    std::vector<charm::future<void>> waiters;
    for (int i = 0; i < count; ++i) {
      waiters.push_back(charm::async([&] {
        while (!open) charm::yield();
        ++through;
      }));
    }
    charm::yield();
    open = true;
    for (auto& waiter : waiters) waiter.get();
    gate.get();
  });
  EXPECT_EQ(through, count);
}

TEST_P(Waiting, AFutureOutlivesItsTaskAndATaskItsFuture) {
  charm::future<int> kept;
  EXPECT_FALSE(kept.valid());
  kept = charm::async([] { return 3; });
  {
    auto dropped = charm::async([] {
      charm::yield();
      return 4;
    });
  }
  auto& same = kept;
  kept = std::move(same);
  EXPECT_EQ(kept.get(), 3);
  EXPECT_FALSE(kept.valid());
  EXPECT_THROW(kept.wait(), charm::Error);
}

TEST_P(Waiting, IdleWorkersWakeForWorkFromOutside) {
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(i % 3 == 0 ? 15 : 1));
    std::thread([] { EXPECT_EQ(charm::run([] { return 5; }), 5); }).join();
    EXPECT_EQ(charm::call(GetParam() - 1, [] { return 6; }), 6);
  }
}

TEST_P(Waiting, ALongTaskHidesNothingBehindIt) {
  if (GetParam() < 2) GTEST_SKIP() << "needs a second worker";
  std::atomic<int> done{0};
  charm::run([&] {
    charm::task_group group;
    for (int i = 0; i < 20; ++i) group.run([&] { ++done; });
    while (done < 20) {  // never returns to the scheduler, never pushes: only exposure reaches the jobs
    }
    group.wait();
  });
  EXPECT_EQ(done, 20);
}

}  // namespace
