// The turns of cores that several runtimes share: one holder, the highest rank first, and nobody waits for ever.
#include "sched/control/core_turns.hpp"

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace {

using charm::sched::CoreTurns;
using namespace std::chrono_literals;

constexpr auto long_time = std::chrono::hours(10);

/// Turns for whose turn everybody waits.
struct Patient : CoreTurns {
  explicit Patient(int cpus) : CoreTurns(cpus) {
    times.patience.fill(long_time);
    times.slice = long_time;
  }
};

CoreTurns::Contender* with_rank(CoreTurns::Contender& contender, int rank) {
  contender.rank = rank;
  return &contender;
}

TEST(CoreTurns, GoToTheHighestRankAndThenToTheFirst) {
  Patient turns(2);
  CoreTurns::Contender holder;
  ASSERT_TRUE(turns.take(holder, 1));
  EXPECT_EQ(holder.cpu, 1);
  std::mutex mutex;
  std::vector<int> order;
  std::vector<std::thread> threads;
  const int ranks[] = {0, 1, 2, 1, 0, 2};
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&, i] {
      CoreTurns::Contender contender;
      EXPECT_TRUE(turns.take(*with_rank(contender, ranks[i]), 1));
      {
        const std::lock_guard lock(mutex);
        order.push_back(i);
      }
      turns.leave(contender);
    });
    while (turns.waiting(1) != i + 1) std::this_thread::yield();
  }
  EXPECT_TRUE(turns.should_yield(holder)) << "one of a higher rank waits";
  turns.leave(holder);
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(order, (std::vector<int>{2, 5, 1, 3, 0, 4}));
  EXPECT_EQ(turns.waiting(1), 0);
  EXPECT_FALSE(turns.taken(holder, 1));
}

TEST(CoreTurns, HaveOneHolderEach) {
  Patient turns(2);
  std::atomic<int> on[2] = {0, 0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&, t] {
      CoreTurns::Contender contender;
      contender.rank = t % 3;
      for (int i = 0; i < 300; ++i) {
        const int cpu = (t + i) % 2;
        EXPECT_TRUE(turns.take(contender, cpu));
        EXPECT_EQ(++on[cpu], 1);
        if (i % 10 == 0) std::this_thread::yield();
        --on[cpu];
        turns.leave(contender);
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST(CoreTurns, AreGivenUpForOthersOfTheSameRankAfterASlice) {
  Patient turns(1);
  CoreTurns::Contender holder;
  ASSERT_TRUE(turns.try_take(holder, 0));
  EXPECT_FALSE(turns.should_yield(holder));
  std::thread other([&] {
    CoreTurns::Contender contender;
    EXPECT_TRUE(turns.take(contender, 0));
    turns.leave(contender);
  });
  while (turns.waiting(0) != 1) std::this_thread::yield();
  EXPECT_FALSE(turns.should_yield(holder)) << "the slice is not over";
  turns.times.slice = 0ns;
  EXPECT_TRUE(turns.should_yield(holder));
  turns.leave(holder);
  other.join();
}

TEST(CoreTurns, WhoseTimeIsOverGoesOnWithoutAndTriesAgainLater) {
  CoreTurns turns(1);
  turns.times.patience.fill(1ms);
  turns.times.slice = long_time;
  CoreTurns::Contender holder;
  CoreTurns::Contender late;
  late.rank = 2;
  ASSERT_TRUE(turns.try_take(holder, 0));
  EXPECT_FALSE(turns.take(late, 0));
  EXPECT_EQ(late.cpu, -1);
  EXPECT_EQ(turns.waiting(0), 0) << "it waits no more";
  EXPECT_FALSE(turns.should_yield(late));
  turns.times.slice = 0ns;
  EXPECT_TRUE(turns.should_yield(late)) << "it is time to wait again";
  turns.leave(late);  // it has none
  turns.leave(holder);
  EXPECT_TRUE(turns.take(late, 0));
}

TEST(CoreTurns, OfCpusThatAreNotCountedAreAlwaysFree) {
  CoreTurns turns(1);
  CoreTurns::Contender one;
  CoreTurns::Contender two;
  for (int cpu : {-1, 1, 99}) {
    EXPECT_TRUE(turns.take(one, cpu));
    EXPECT_TRUE(turns.take(two, cpu));
    EXPECT_FALSE(turns.taken(two, cpu));
    turns.leave(one);
    turns.leave(two);
  }
}

}  // namespace
