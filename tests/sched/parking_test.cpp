// Workers that park at every chance, so that each job meets one that is about to sleep, sleeps, or has just been woken.
#include <charm/charm.hpp>

#include <atomic>
#include <chrono>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "sched/run/wake_order.hpp"
#include "sched/running.hpp"

namespace {

charm::Config sleepy() {
  charm::Config config;
  config.spin_us = 0;
  return config;
}

class Parking : public testing::TestWithParam<int> {
 protected:
  Running runtime_{GetParam(), sleepy()};
};
INSTANTIATE_TEST_SUITE_P(Workers, Parking, testing::Values(2, 3));

TEST_P(Parking, EveryCallFromOutsideIsAnswered) {
  std::atomic<long> sum{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(t + 1);
      for (int i = 0; i < 300; ++i) {
        const int to = static_cast<int>(random() % static_cast<unsigned>(charm::num_workers()));
        if (random() % 2 == 0)
          charm::call(to, [&] { ++sum; });
        else
          charm::run([&] { ++sum; });
        if (random() % 8 == 0) std::this_thread::yield();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(sum, 600);
}

TEST_P(Parking, WorkersThatAskEachOtherAllGetAnswers) {
  std::atomic<long> sum{0};
  for (int round = 0; round < 20; ++round) {
    charm::all_do([&](int worker) {
      for (int i = 0; i < 10; ++i) {
        charm::call((worker + 1) % charm::num_workers(), [&] { ++sum; });
        if (i % 3 == 0) charm::barrier();
      }
    });
  }
  EXPECT_EQ(sum, 20L * 10 * charm::num_workers());
}

/// The first branch holds its worker until somebody else has run the second: a sleeper that overlooks it would never
/// end the test (barrier before the last search, src/sched/run/parking.cpp).
TEST_P(Parking, AJobBehindALongFunctionIsFoundByASleeper) {
  for (int round = 0; round < 100; ++round) {
    std::atomic<bool> taken{false};
    charm::run([&] {
      charm::invoke(
          [&] {
            while (!taken) std::this_thread::yield();
          },
          [&] { taken = true; });
    });
    if (round % 4 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(round % 24));
  }
}

TEST(Bursts, OfCallsWakeASleeperOnce) {
  Running runtime(2);
  charm::call(0, [] {
    for (int round = 0; round < 5; ++round) {
      charm::sleep_for(std::chrono::milliseconds(60));  // until it sleeps
      const auto before = charm::stats().workers[1].wakes;
      std::atomic<bool> all_sent{false};
      std::atomic<int> answers{0};
      // The first call keeps the woken worker awake while the others arrive, however slow the sender is.
      charm::call_detached(1, [&] {
        while (!all_sent) std::this_thread::yield();
        ++answers;
      });
      for (int i = 0; i < 1000; ++i) charm::call_detached(1, [&] { ++answers; });
      all_sent = true;
      while (answers != 1001) std::this_thread::yield();
      EXPECT_LE(charm::stats().workers[1].wakes, before + 1);
    }
  });
}

/// The core of the sleeper becomes free between the two looks: it is to be woken last at the first, not at the second.
TEST(WakeOrder, ASleeperThatIsPreferredOnlyAtTheSecondLookIsWoken) {
  int sleeper = 0;
  int asked = 0;
  const bool woke =
      charm::sched::wake_in_order([&](auto&& try_one) { return try_one(sleeper); }, [&](int&) { return asked++ == 0; },
                                  [](int& woken) { return ++woken > 0; });
  EXPECT_TRUE(woke);
  EXPECT_EQ(sleeper, 1);
}

TEST(WakeOrder, SleepersThatArePreferredComeFirst) {
  int sleepers[3] = {0, 1, 2};
  std::vector<int> woken;
  const auto each = [&](auto&& try_one) {
    for (int& one : sleepers) {
      if (try_one(one)) return true;
    }
    return false;
  };
  const auto last = [](int one) { return one == 0; };
  const auto note = [&](int one) {
    woken.push_back(one);
    return one == 2;  // 1 has just been woken by another thread
  };
  EXPECT_TRUE(charm::sched::wake_in_order(each, last, note));
  EXPECT_EQ(woken, (std::vector<int>{1, 2}));
  EXPECT_FALSE(charm::sched::wake_in_order(each, [](int) { return true; }, note, true));
  EXPECT_EQ(woken.size(), 2U);
}

}  // namespace
