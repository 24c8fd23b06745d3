// Blocks of jobs go back to the pool that they came from, in parcels, and none is lost or given twice.
#include <charm/detail/job_pool.hpp>

#include <atomic>
#include <cstring>
#include <rapidcheck.h>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sched/running.hpp"

namespace {

using charm::detail::JobPool;

TEST(JobPool, WhatIsSentHomeIsUsedAgainThere) {
  for (std::size_t bytes : {std::size_t{40}, std::size_t{100}, std::size_t{256}}) {
    JobPool maker;
    JobPool other;
    std::set<void*> made;
    for (int i = 0; i < 200; ++i) made.insert(maker.take(bytes));
    for (void* block : made) other.give_back(block, bytes, maker, 0);
    int known = 0;
    std::vector<void*> again;
    for (int i = 0; i < 200; ++i) {
      again.push_back(maker.take(bytes));
      known += static_cast<int>(made.count(again.back()));
    }
    EXPECT_GE(known, 200 - 31) << "one parcel may be open still; it holds 31 blocks at most";
    EXPECT_EQ(std::set<void*>(again.begin(), again.end()).size(), again.size()) << "a block was given out twice";
    for (void* block : again) maker.give(block, bytes);
  }
}

TEST(JobPool, AParcelForSomebodyElseSendsTheOpenOne) {
  JobPool first;
  JobPool second;
  JobPool other;
  void* a = first.take(64);
  void* b = second.take(64);
  other.give_back(a, 64, first, 0);
  other.give_back(b, 64, second, 1);
  EXPECT_EQ(first.take(64), a);
  ::operator delete(a);
}

TEST(JobPool, WhatComesBackIsBounded) {
  JobPool maker;
  JobPool other;
  std::vector<void*> made;
  for (std::uint32_t i = 0; i < 4 * JobPool::most; ++i) made.push_back(JobPool::take_outside(64));
  for (void* block : made) other.give_back(block, 64, maker, 0);  // nobody takes: the allocator has the rest again
  EXPECT_GE(maker.came_back(64), JobPool::most);
  EXPECT_LE(maker.came_back(64), JobPool::most + 8);
}

RC_GTEST_PROP(JobPool, BlocksAreOnePersonsAtATime, ()) {
  // Any sequence of takes and gives between three pools: a block that is out is out once.
  JobPool pools[3];
  std::vector<std::pair<void*, std::size_t>> out;  // and who took it
  std::set<void*> addresses;
  const auto steps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 3000));
  for (int step : steps) {
    const auto pool = static_cast<std::size_t>(step % 3);
    if (step / 3 % 2 == 0 || out.empty()) {
      void* block = pools[pool].take(64);
      std::memset(block, step, 64);
      RC_ASSERT(addresses.insert(block).second);
      out.emplace_back(block, pool);
    } else {
      const std::size_t which = static_cast<std::size_t>(step) % out.size();
      const auto [block, home] = out[which];
      out.erase(out.begin() + static_cast<std::ptrdiff_t>(which));
      addresses.erase(block);
      if (home == pool)
        pools[pool].give(block, 64);
      else
        pools[pool].give_back(block, 64, pools[home], static_cast<int>(home));
    }
  }
  for (const auto& [block, home] : out) pools[home].give(block, 64);
}

TEST(JobPool, OneMakerAndTwoOthersAtTheSameTime) {
  constexpr int count = 20000;
  JobPool maker;
  std::vector<std::atomic<void*>> slots(64);
  std::atomic<bool> over{false};
  std::atomic<int> given{0};
  auto give = [&](std::size_t first) {
    JobPool mine;
    while (!over.load() || given.load() < count) {
      for (std::size_t s = first; s < slots.size(); s += 2) {
        void* block = slots[s].exchange(nullptr);
        if (block == nullptr) continue;
        EXPECT_EQ(*static_cast<std::uint64_t*>(block), 0x5eedU) << "somebody else wrote to a block that was out";
        mine.give_back(block, 64, maker, 0);
        ++given;
      }
      std::this_thread::yield();
      if (over.load() && given.load() >= count) break;
    }
  };
  std::thread even(give, 0);
  std::thread odd(give, 1);
  for (int made = 0; made < count;) {
    for (auto& slot : slots) {
      if (made == count || slot.load() != nullptr) continue;
      void* block = maker.take(64);
      *static_cast<std::uint64_t*>(block) = 0x5eedU;
      slot.store(block);
      ++made;
    }
    std::this_thread::yield();
  }
  over = true;
  even.join();
  odd.join();
  EXPECT_EQ(given, count);
}

TEST(JobPool, TasksOfManyWorkersAndRuntimesAfterEachOther) {
  charm::future<int> kept;  // outlives its runtime, and its block the pool that it came from
  for (int workers : {4, 1, 3}) {
    Running runtime(workers);
    charm::run([&] {
      std::atomic<int> sum{0};
      charm::task_group group;
      for (int i = 0; i < 5000; ++i) {
        group.run([&, i] {
          if (i % 7 == 0) charm::call_detached(i % workers, [&sum] { ++sum; });
        });
      }
      group.wait();
      for (int w = 0; w < workers; ++w) charm::call(w, [] {});
      EXPECT_EQ(sum, 5000 / 7 + 1);
      kept = charm::async([] { return 5; });
      kept.wait();
    });
  }
  EXPECT_EQ(kept.get(), 5);
}

}  // namespace
