// The seats of cores that several runtimes share: one holder, the highest rank first, and nobody waits for ever.
#include "sched/control/core_seats.hpp"

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace {

using charm::sched::CoreSeats;
using namespace std::chrono_literals;

constexpr auto long_time = std::chrono::hours(10);

/// Seats for whose turn everybody waits.
struct Patient : CoreSeats {
  explicit Patient(int cpus) : CoreSeats(cpus) {
    times.patience.fill(long_time);
    times.slice = long_time;
  }
};

CoreSeats::Sitter* with_rank(CoreSeats::Sitter& sitter, int rank) {
  sitter.rank = rank;
  return &sitter;
}

TEST(CoreSeats, GoToTheHighestRankAndThenToTheFirst) {
  Patient seats(2);
  CoreSeats::Sitter holder;
  ASSERT_TRUE(seats.take(holder, 1));
  EXPECT_EQ(holder.cpu, 1);
  std::mutex mutex;
  std::vector<int> order;
  std::vector<std::thread> threads;
  const int ranks[] = {0, 1, 2, 1, 0, 2};
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&, i] {
      CoreSeats::Sitter sitter;
      EXPECT_TRUE(seats.take(*with_rank(sitter, ranks[i]), 1));
      {
        const std::lock_guard lock(mutex);
        order.push_back(i);
      }
      seats.leave(sitter);
    });
    while (seats.waiting(1) != i + 1) std::this_thread::yield();
  }
  EXPECT_TRUE(seats.should_yield(holder)) << "one of a higher rank waits";
  seats.leave(holder);
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(order, (std::vector<int>{2, 5, 1, 3, 0, 4}));
  EXPECT_EQ(seats.waiting(1), 0);
  EXPECT_FALSE(seats.taken(holder, 1));
}

TEST(CoreSeats, HaveOneHolderEach) {
  Patient seats(2);
  std::atomic<int> on[2] = {0, 0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&, t] {
      CoreSeats::Sitter sitter;
      sitter.rank = t % 3;
      for (int i = 0; i < 300; ++i) {
        const int cpu = (t + i) % 2;
        EXPECT_TRUE(seats.take(sitter, cpu));
        EXPECT_EQ(++on[cpu], 1);
        if (i % 10 == 0) std::this_thread::yield();
        --on[cpu];
        seats.leave(sitter);
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST(CoreSeats, AreGivenUpForOthersOfTheSameRankAfterASlice) {
  Patient seats(1);
  CoreSeats::Sitter holder;
  ASSERT_TRUE(seats.try_take(holder, 0));
  EXPECT_FALSE(seats.should_yield(holder));
  std::thread other([&] {
    CoreSeats::Sitter sitter;
    EXPECT_TRUE(seats.take(sitter, 0));
    seats.leave(sitter);
  });
  while (seats.waiting(0) != 1) std::this_thread::yield();
  EXPECT_FALSE(seats.should_yield(holder)) << "the slice is not over";
  seats.times.slice = 0ns;
  EXPECT_TRUE(seats.should_yield(holder));
  seats.leave(holder);
  other.join();
}

TEST(CoreSeats, WhoseTimeIsOverGoesOnWithoutAndTriesAgainLater) {
  CoreSeats seats(1);
  seats.times.patience.fill(1ms);
  seats.times.slice = long_time;
  CoreSeats::Sitter holder;
  CoreSeats::Sitter late;
  late.rank = 2;
  ASSERT_TRUE(seats.try_take(holder, 0));
  EXPECT_FALSE(seats.take(late, 0));
  EXPECT_EQ(late.cpu, -1);
  EXPECT_EQ(seats.waiting(0), 0) << "it waits no more";
  EXPECT_FALSE(seats.should_yield(late));
  seats.times.slice = 0ns;
  EXPECT_TRUE(seats.should_yield(late)) << "it is time to wait again";
  seats.leave(late);  // it has none
  seats.leave(holder);
  EXPECT_TRUE(seats.take(late, 0));
}

TEST(CoreSeats, OfCpusThatAreNotCountedAreAlwaysFree) {
  CoreSeats seats(1);
  CoreSeats::Sitter one;
  CoreSeats::Sitter two;
  for (int cpu : {-1, 1, 99}) {
    EXPECT_TRUE(seats.take(one, cpu));
    EXPECT_TRUE(seats.take(two, cpu));
    EXPECT_FALSE(seats.taken(two, cpu));
    seats.leave(one);
    seats.leave(two);
  }
}

}  // namespace
