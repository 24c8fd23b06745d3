// The board: places, marks, summaries, and what readers may see while others write.
#include "stealing/board.hpp"

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace {

using namespace charm::stealing;

TEST(Board, GivesEveryJoinerAPlaceOfItsOwnAndTheLowestFirst) {
  Board board(3, 100);
  std::set<int> slots;
  for (int i = 0; i < 100; ++i) {
    Place place = board.join(1);
    EXPECT_EQ(place.group, 1);
    EXPECT_TRUE(slots.insert(place.slot).second);
    EXPECT_EQ(place.slot, i);
  }
  EXPECT_EQ(board.words(1), 2);
  EXPECT_EQ(board.words(0), 1);
  board.leave({1, 41});
  EXPECT_EQ(board.join(1), (Place{1, 41}));
  EXPECT_EQ(board.count(Mark::member, 1), 100);
}

TEST(Board, RefusesMoreThanItWasMadeFor) {
  Board board(1, 64);
  for (int i = 0; i < 64; ++i) board.join(0);
  EXPECT_ANY_THROW(board.join(0));
}

TEST(Board, LeavingTakesAllMarksOff) {
  Board board(2, 4);
  Place place = board.join(1);
  for (Mark mark : {Mark::work, Mark::busy, Mark::asleep}) board.set(mark, place);
  EXPECT_TRUE(board.any(Mark::work));
  board.leave(place);
  for (Mark mark : {Mark::member, Mark::work, Mark::busy, Mark::asleep}) EXPECT_EQ(board.count(mark, 1), 0);
  EXPECT_FALSE(board.any(Mark::work));
  EXPECT_FALSE(board.any(Mark::asleep));
}

RC_GTEST_PROP(Board, SummariesSayWhatTheMarksSay, ()) {
  const int groups = *rc::gen::inRange(1, 150);
  const int capacity = *rc::gen::inRange(1, 200);
  Board board(groups, capacity);
  std::vector<Place> places;
  for (int i = 0; i < capacity; ++i) places.push_back(board.join(*rc::gen::inRange(0, groups)));
  const auto steps = *rc::gen::container<std::vector<std::pair<std::size_t, bool>>>(
      rc::gen::pair(rc::gen::inRange<std::size_t>(0, places.size()), rc::gen::arbitrary<bool>()));
  std::set<std::pair<int, int>> marked;
  for (auto [who, on] : steps) {
    Place place = places[who];
    if (on) {
      board.set(Mark::work, place);
      marked.insert({place.group, place.slot});
    } else {
      board.clear(Mark::work, place);
      marked.erase({place.group, place.slot});
    }
  }
  for (int g = 0; g < groups; ++g) {
    int expected = 0;
    for (auto [group, slot] : marked) expected += group == g ? 1 : 0;
    RC_ASSERT(board.count(Mark::work, g) == expected);
    const bool summed = ((board.summary(Mark::work, g / 64) >> (g % 64)) & 1) != 0;
    RC_ASSERT(summed == (expected > 0));
  }
}

/// Owners set and take off their marks, others take them off under the rule B3; in the end nothing is hidden.
TEST(Board, NoMarkIsLostBetweenOwnersAndThoseWhoClear) {
  constexpr int owners = 3;
  Board board(2, owners);
  std::vector<Place> places;
  for (int i = 0; i < owners; ++i) places.push_back(board.join(i % 2));
  std::vector<std::atomic<int>> queue(owners);
  std::atomic<int> left{owners};
  std::vector<std::thread> threads;
  for (int i = 0; i < owners; ++i) {
    threads.emplace_back([&, i] {
      for (int turn = 0; turn < 20000; ++turn) {
        queue[static_cast<std::size_t>(i)].fetch_add(1, std::memory_order_seq_cst);
        Place place = places[static_cast<std::size_t>(i)];
        if (!board.test(Mark::work, place)) board.set(Mark::work, place);
      }
      left.fetch_sub(1);
    });
  }
  threads.emplace_back([&] {
    auto empty = [&](std::size_t i) { return queue[i].load(std::memory_order_seq_cst) == 0; };
    while (left.load() > 0) {
      for (std::size_t i = 0; i < owners; ++i) {
        if (!board.test(Mark::work, places[i])) continue;
        queue[i].exchange(0);
        if (!empty(i)) continue;
        board.clear(Mark::work, places[i]);
        if (!empty(i)) board.set(Mark::work, places[i]);
      }
    }
  });
  for (auto& thread : threads) thread.join();
  for (std::size_t i = 0; i < owners; ++i) {
    if (queue[i].load() == 0) continue;
    EXPECT_TRUE(board.test(Mark::work, places[i])) << i;
    EXPECT_NE(board.summary(Mark::work, 0) >> places[i].group & 1, 0U);
  }
}

TEST(Board, JoinersAndLeaversAtTheSameTimeNeverShareAPlace) {
  Board board(2, 8);
  std::atomic<bool> taken[2][8] = {};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 5000; ++i) {
        Place place = board.join((t + i) % 2);
        EXPECT_FALSE(taken[place.group][place.slot].exchange(true));
        taken[place.group][place.slot].store(false);
        board.leave(place);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(board.count(Mark::member, 0) + board.count(Mark::member, 1), 0);
}

}  // namespace
