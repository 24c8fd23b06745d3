// The work flags: places, flags, summaries, and what readers may see while others write.
#include "stealing/work_flags.hpp"

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace {

using namespace charm::stealing;

TEST(WorkFlags, GivesEveryJoinerAPlaceOfItsOwnAndTheLowestFirst) {
  WorkFlags work_flags(3, 100);
  std::set<int> slots;
  for (int i = 0; i < 100; ++i) {
    Place place = work_flags.join(1);
    EXPECT_EQ(place.group, 1);
    EXPECT_TRUE(slots.insert(place.slot).second);
    EXPECT_EQ(place.slot, i);
  }
  EXPECT_EQ(work_flags.words(1), 2);
  EXPECT_EQ(work_flags.words(0), 1);
  work_flags.leave({1, 41});
  EXPECT_EQ(work_flags.join(1), (Place{1, 41}));
  EXPECT_EQ(work_flags.count(Flag::member, 1), 100);
}

TEST(WorkFlags, RefusesMoreThanItWasMadeFor) {
  WorkFlags work_flags(1, 64);
  for (int i = 0; i < 64; ++i) work_flags.join(0);
  EXPECT_ANY_THROW(work_flags.join(0));
}

TEST(WorkFlags, LeavingClearsAllFlags) {
  WorkFlags work_flags(2, 4);
  Place place = work_flags.join(1);
  for (Flag flag : {Flag::work, Flag::busy, Flag::asleep}) work_flags.set(flag, place);
  EXPECT_TRUE(work_flags.any(Flag::work));
  work_flags.leave(place);
  for (Flag flag : {Flag::member, Flag::work, Flag::busy, Flag::asleep}) EXPECT_EQ(work_flags.count(flag, 1), 0);
  EXPECT_FALSE(work_flags.any(Flag::work));
  EXPECT_FALSE(work_flags.any(Flag::asleep));
}

RC_GTEST_PROP(WorkFlags, SummariesSayWhatTheFlagsSay, ()) {
  const int groups = *rc::gen::inRange(1, 150);
  const int capacity = *rc::gen::inRange(1, 200);
  WorkFlags work_flags(groups, capacity);
  std::vector<Place> places;
  for (int i = 0; i < capacity; ++i) places.push_back(work_flags.join(*rc::gen::inRange(0, groups)));
  const auto steps = *rc::gen::container<std::vector<std::pair<std::size_t, bool>>>(
      rc::gen::pair(rc::gen::inRange<std::size_t>(0, places.size()), rc::gen::arbitrary<bool>()));
  std::set<std::pair<int, int>> flagged;
  for (auto [who, on] : steps) {
    Place place = places[who];
    if (on) {
      work_flags.set(Flag::work, place);
      flagged.insert({place.group, place.slot});
    } else {
      work_flags.clear(Flag::work, place);
      flagged.erase({place.group, place.slot});
    }
  }
  for (int g = 0; g < groups; ++g) {
    int expected = 0;
    for (auto [group, slot] : flagged) expected += group == g ? 1 : 0;
    RC_ASSERT(work_flags.count(Flag::work, g) == expected);
    const bool summed = ((work_flags.summary(Flag::work, g / 64) >> (g % 64)) & 1) != 0;
    RC_ASSERT(summed == (expected > 0));
  }
}

/// Owners set and take off their flags, others take them off as thieves do; in the end visible work has its flag.
TEST(WorkFlags, NoFlagIsLostBetweenOwnersAndThoseWhoClear) {
  constexpr int owners = 3;
  WorkFlags work_flags(2, owners);
  std::vector<Place> places;
  for (int i = 0; i < owners; ++i) places.push_back(work_flags.join(i % 2));
  std::vector<std::atomic<int>> queue(owners);
  std::atomic<int> left{owners};
  std::vector<std::thread> threads;
  for (int i = 0; i < owners; ++i) {
    threads.emplace_back([&, i] {
      for (int turn = 0; turn < 20000; ++turn) {
        queue[static_cast<std::size_t>(i)].fetch_add(1, std::memory_order_seq_cst);
        Place place = places[static_cast<std::size_t>(i)];
        if (!work_flags.test(Flag::work, place)) work_flags.set(Flag::work, place);
      }
      left.fetch_sub(1);
    });
  }
  threads.emplace_back([&] {
    auto empty = [&](std::size_t i) { return queue[i].load(std::memory_order_seq_cst) == 0; };
    while (left.load() > 0) {
      for (std::size_t i = 0; i < owners; ++i) {
        if (!work_flags.test(Flag::work, places[i])) continue;
        queue[i].exchange(0);
        if (!empty(i)) continue;
        work_flags.clear(Flag::work, places[i]);
        if (!empty(i)) work_flags.set(Flag::work, places[i]);
      }
    }
  });
  for (auto& thread : threads) thread.join();
  for (std::size_t i = 0; i < owners; ++i) {
    if (queue[i].load() == 0) continue;
    EXPECT_TRUE(work_flags.test(Flag::work, places[i])) << i;
    EXPECT_NE(work_flags.summary(Flag::work, 0) >> places[i].group & 1, 0U);
  }
}

TEST(WorkFlags, JoinersAndLeaversAtTheSameTimeNeverShareAPlace) {
  WorkFlags work_flags(2, 8);
  std::atomic<bool> taken[2][8] = {};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 5000; ++i) {
        Place place = work_flags.join((t + i) % 2);
        EXPECT_FALSE(taken[place.group][place.slot].exchange(true));
        taken[place.group][place.slot].store(false);
        work_flags.leave(place);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(work_flags.count(Flag::member, 0) + work_flags.count(Flag::member, 1), 0);
}

}  // namespace
