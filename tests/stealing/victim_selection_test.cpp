// Which victims a thief tries: every policy, with random work flags and machines.
#include "stealing/victim_selection.hpp"

#include <charm/error.hpp>
#include <charm/machine.hpp>

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace {

using namespace charm::stealing;

std::vector<int> all_chiplets(const charm::Machine& machine) {
  std::vector<int> ids;
  for (const auto& chiplet : machine.chiplets) ids.push_back(chiplet.id);
  return ids;
}

TEST(DistanceTable, RanksChipletsByTheMachinesDistances) {
  const auto machine = charm::Machine::from("pack:2 numa:2 l3:4 core:4 pu:1");
  const DistanceTable distance_table(machine, all_chiplets(machine));
  ASSERT_EQ(distance_table.groups(), 16);
  for (int g = 0; g < distance_table.groups(); ++g) {
    const auto order = distance_table.by_distance(g);
    ASSERT_EQ(order.size(), 15U);
    EXPECT_EQ(std::set<int>(order.begin(), order.end()).count(g), 0U);
    for (std::size_t i = 1; i < order.size(); ++i)
      EXPECT_LE(distance_table.distance(g, order[i - 1]), distance_table.distance(g, order[i]));
    for (int near : order.first(3))
      EXPECT_EQ(machine.chiplets[static_cast<std::size_t>(near)].node,
                machine.chiplets[static_cast<std::size_t>(g)].node);
    // Three chiplets at distance 2 on the own node, together as heavy as 1/4.
    EXPECT_FLOAT_EQ(distance_table.weight(g, order[0]), 1.0F / (3 * 4));
  }
}

TEST(DistanceTable, TurnsToDifferentNeighboursFirst) {
  const auto machine = charm::Machine::from("l3:8 core:2 pu:1");
  const DistanceTable distance_table(machine, all_chiplets(machine));
  std::set<int> first;
  for (int g = 0; g < 8; ++g) first.insert(distance_table.by_distance(g)[0]);
  EXPECT_EQ(first.size(), 8U);
}

TEST(DistanceTable, KnowsUnboundWorkersAndSubsetsOfChiplets) {
  const auto machine = charm::Machine::from("pack:2 l3:2 core:2 pu:1");
  const DistanceTable distance_table(machine, {-1, 0, 3});
  EXPECT_EQ(distance_table.distance(0, 1), 1);
  EXPECT_GE(distance_table.distance(1, 2), 4);
  EXPECT_EQ(distance_table.chiplet(2), 3);
}

TEST(DistanceTable, RefusesMatricesThatAreNone) {
  EXPECT_ANY_THROW(DistanceTable(std::vector<std::vector<double>>{}));
  EXPECT_ANY_THROW(DistanceTable(charm::Machine::from("core:2 pu:1"), {}));
  EXPECT_EQ(DistanceTable(charm::Machine::from("core:2 pu:1"), {0}).groups(), 1);
  EXPECT_EQ(DistanceTable(std::vector<std::vector<double>>{{0}}).groups(), 1);
  EXPECT_ANY_THROW(DistanceTable(std::vector<std::vector<double>>{{0, 1}, {1}}));
  EXPECT_ANY_THROW(DistanceTable(std::vector<std::vector<double>>{{0}, {1, 0}}));
  EXPECT_ANY_THROW(DistanceTable(std::vector<std::vector<double>>{{0, 1}, {0, 0}}));
  EXPECT_ANY_THROW(DistanceTable(std::vector<std::vector<double>>{{0, 0}, {1, 0}}));
}

/// A random work flags; the field's distances are random, too.
struct Scene {
  DistanceTable distance_table;
  WorkFlags work_flags;
  std::vector<Place> places;
  std::set<std::pair<int, int>> with_work;
};

Scene scene() {
  const auto groups = *rc::gen::inRange<std::size_t>(1, 12);
  std::vector<std::vector<double>> distances(groups, std::vector<double>(groups, 1));
  for (auto& row : distances) {
    for (double& d : row) d = *rc::gen::inRange(1, 9);
  }
  const int workers = *rc::gen::inRange(1, 150);
  Scene s{DistanceTable(distances), WorkFlags(static_cast<int>(groups), workers), {}, {}};
  for (int i = 0; i < workers; ++i) {
    s.places.push_back(s.work_flags.join(*rc::gen::inRange(0, static_cast<int>(groups))));
    if (*rc::gen::inRange(0, 3) == 0) {
      s.work_flags.set(Flag::work, s.places.back());
      s.with_work.insert({s.places.back().group, s.places.back().slot});
    }
  }
  return s;
}

RC_GTEST_PROP(VictimSelection, NamesMembersOnlyNeverTheThiefAndEnds, ()) {
  Scene s = scene();
  std::set<std::pair<int, int>> members;
  for (Place p : s.places) members.insert({p.group, p.slot});
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint32_t>());
  const Place thief = s.places[0];
  for (const StealPolicy& policy : policies()) {
    VictimSelection look(s.distance_table, policy, thief);
    std::size_t steps = 0;
    while (Place victim = look.next(s.work_flags, random())) {
      RC_ASSERT(victim != thief);
      RC_ASSERT(members.count({victim.group, victim.slot}) == 1U);
      if (policy.bitmap) {
        RC_ASSERT(s.with_work.count({victim.group, victim.slot}) == 1U);
      }
      RC_ASSERT(++steps <= s.places.size() + 10);
    }
  }
}

RC_GTEST_PROP(VictimSelection, NearestNamesEverybodyOnceNearOnesFirst, ()) {
  Scene s = scene();
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint32_t>());
  const Place thief = s.places[0];
  VictimSelection look(s.distance_table, policy("nearest"), thief);
  std::set<std::pair<int, int>> seen;
  double before = 0;
  while (Place victim = look.next(s.work_flags, random())) {
    RC_ASSERT(seen.insert({victim.group, victim.slot}).second);
    const double d = victim.group == thief.group ? 0 : s.distance_table.distance(thief.group, victim.group);
    RC_ASSERT(d >= before);
    before = d;
  }
  RC_ASSERT(seen.size() == s.places.size() - 1);
}

RC_GTEST_PROP(VictimSelection, TheBitmapFindsWorkIfThereIsAny, ()) {
  Scene s = scene();
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint32_t>());
  const Place thief = s.places[0];
  const bool others = s.with_work.size() > s.with_work.count({thief.group, thief.slot});
  VictimSelection look(s.distance_table, policy("bitmap"), thief);
  Place victim = look.next(s.work_flags, random());
  bool near = false;
  for (auto [group, slot] : s.with_work) near = near || (group == thief.group && slot != thief.slot);
  RC_ASSERT(static_cast<bool>(victim) == others);
  if (near) {
    RC_ASSERT(victim.group == thief.group);
  }
}

/// Random bits that draw the k-th of n in one half, low or high, of the 64.
std::uint64_t drawing(std::uint64_t k, std::uint64_t n) {
  const std::uint64_t half = ((k << 32U) + n - 1) / n;
  return half | half << 32U;
}

TEST(Pick, DrawsEachWorkerWithTheFlagInTurnAndNeverTheExcepted) {
  WorkFlags work_flags(3, 200);
  std::vector<Place> places;
  for (int i = 0; i < 200; ++i) places.push_back(work_flags.join(2));
  const std::vector<int> slots = {3, 5, 63, 64, 130, 199};
  for (const int slot : slots) work_flags.set(Flag::work, {2, slot});
  work_flags.set(Flag::work, {2, 70});
  for (std::size_t k = 0; k < slots.size(); ++k) {
    const auto bits = static_cast<std::uint32_t>(drawing(k, slots.size()));
    EXPECT_EQ(pick(work_flags, Flag::work, 2, {2, 70}, bits), (Place{2, slots[k]})) << k;
    EXPECT_EQ(pick(work_flags, Flag::work, 2, {2, 70}, bits - 1), (Place{2, slots[(k + 5) % 6]})) << "just before";
  }
  EXPECT_FALSE(pick(work_flags, Flag::work, 0, {}, 7));
  EXPECT_FALSE(pick(work_flags, Flag::busy, 2, {}, 7));
  // The place that is excepted is of that group alone.
  EXPECT_EQ(pick(work_flags, Flag::work, 2, {0, 3}, 0), (Place{2, 3}));
  for (int i = 0; i < 101; ++i) work_flags.join(1);
  work_flags.set(Flag::work, {1, 100});
  EXPECT_EQ(pick(work_flags, Flag::work, 1, {}, 99), (Place{1, 100})) << "the only one";
  // A group of one word.
  WorkFlags small(1, 10);
  for (int i = 0; i < 10; ++i) small.join(0);
  for (const int slot : {2, 4, 9}) small.set(Flag::work, {0, slot});
  for (std::uint64_t k = 0; k < 3; ++k) {
    EXPECT_EQ(pick(small, Flag::work, 0, {}, static_cast<std::uint32_t>(drawing(k, 3))), (Place{0, k == 0   ? 2
                                                                                                   : k == 1 ? 4
                                                                                                            : 9}));
  }
}

TEST(Pick, DrawsGroupsByTheirWeightsAndNotTheirOwn) {
  // Firmware's tables need not be symmetric: the thief's row counts.
  const DistanceTable distance_table({{0, 1, 1, 2}, {5, 0, 1, 2}, {1, 1, 0, 2}, {1, 2, 2, 0}});
  WorkFlags work_flags(4, 2);
  for (int g = 0; g < 4; ++g) work_flags.join(g);
  // Weights from group 0: 1/2, 1/2, 1/4.
  const auto drawn = [&](double share) {
    return pick_group(work_flags, distance_table, 0, false, static_cast<std::uint32_t>(share * 4294967296.0));
  };
  EXPECT_EQ(drawn(0), 1);
  EXPECT_EQ(drawn(.39), 1);
  EXPECT_EQ(drawn(.4), 2) << "the first of the second's";
  EXPECT_EQ(drawn(.79), 2);
  EXPECT_EQ(drawn(.81), 3);
  EXPECT_EQ(pick_group(work_flags, distance_table, 0, true, 0), -1) << "nobody has work";
  work_flags.set(Flag::work, {0, 0});
  EXPECT_EQ(pick_group(work_flags, distance_table, 0, true, 0), -1) << "but itself";
  work_flags.set(Flag::work, {3, 0});
  EXPECT_EQ(pick_group(work_flags, distance_table, 0, true, 0), 3);
}

/// Both try as many victims as there are other workers.
TEST(VictimSelection, RandomAndWeightedTryAsManyAsThereAreOthers) {
  const DistanceTable distance_table({{0, 1}, {1, 0}});
  for (const char* name : {"random", "weighted"}) {
    for (const int others : {0, 1, 5}) {
      WorkFlags work_flags(2, 8);
      const Place thief = work_flags.join(0);
      for (int i = 0; i < others; ++i) work_flags.join(i % 2);
      VictimSelection look(distance_table, policy(name), thief);
      std::mt19937_64 random(3);
      int tries = 0;
      while (look.next(work_flags, random())) ++tries;
      EXPECT_EQ(tries, others) << name;
    }
  }
}

TEST(VictimSelection, RandomDrawsAllOthersAlike) {
  const DistanceTable distance_table({{0, 1, 9}, {1, 0, 9}, {9, 9, 0}});
  WorkFlags work_flags(3, 4);
  const Place thief = work_flags.join(1);
  for (const int group : {0, 1, 1, 2}) work_flags.join(group);
  std::map<int, int> counts;
  std::mt19937_64 random(5);
  constexpr int draws = 20000;
  for (int i = 0; i < draws; ++i)
    ++counts[VictimSelection(distance_table, policy("random"), thief).next(work_flags, random()).group];
  EXPECT_NEAR(counts[0], draws * .25, draws * .02);
  EXPECT_NEAR(counts[1], draws * .5, draws * .02);
  EXPECT_NEAR(counts[2], draws * .25, draws * .02);
}

TEST(VictimSelection, WeightedGivesTheOwnChipletTheWeightOneIfSomebodyIsThere) {
  const DistanceTable distance_table({{0, 1, 2}, {1, 0, 2}, {2, 2, 0}});
  const auto shares = [&](int neighbours) {
    WorkFlags work_flags(3, 4);
    const Place thief = work_flags.join(0);
    for (int i = 0; i < neighbours; ++i) work_flags.join(0);
    work_flags.join(1);
    work_flags.join(2);
    std::map<int, int> counts;
    std::mt19937_64 random(9);
    for (int i = 0; i < 20000; ++i)
      ++counts[VictimSelection(distance_table, policy("weighted"), thief).next(work_flags, random()).group];
    return counts;
  };
  auto counts = shares(2);  // weights 1, 1 and 1/4
  EXPECT_NEAR(counts[0], 20000 / 2.25, 400);
  EXPECT_NEAR(counts[1], 20000 / 2.25, 400);
  EXPECT_NEAR(counts[2], 20000 / 9., 400);
  counts = shares(1);
  EXPECT_NEAR(counts[0], 20000 / 2.25, 400);
  counts = shares(0);
  EXPECT_EQ(counts[0], 0);
  EXPECT_NEAR(counts[1], 16000, 400);
  // What is drawn beyond the own chiplet's share is drawn anew among the others.
  WorkFlags all(3, 4);
  const Place here = all.join(0);
  for (const int group : {0, 1, 2}) all.join(group);
  const auto drawn = [&](double share) {
    const auto random = static_cast<std::uint64_t>(share * 4294967296.0);
    return VictimSelection(distance_table, policy("weighted"), here).next(all, random).group;
  };
  EXPECT_EQ(drawn(.44), 0);
  EXPECT_EQ(drawn(.45), 1);
  EXPECT_EQ(drawn(.88), 1);
  EXPECT_EQ(drawn(.9), 2);
  EXPECT_EQ(drawn(.99), 2);
  // Alone with its chiplet it tries that.
  WorkFlags near_only(3, 4);
  const Place thief = near_only.join(0);
  near_only.join(0);
  EXPECT_EQ(VictimSelection(distance_table, policy("weighted"), thief).next(near_only, ~0ULL), (Place{0, 1}));
}

TEST(VictimSelection, BoundedTriesFourNearAndTwoFar) {
  const DistanceTable distance_table({{0, 1}, {1, 0}});
  WorkFlags work_flags(2, 8);
  const Place thief = work_flags.join(0);
  for (int i = 0; i < 12; ++i) work_flags.join(i % 2);
  for (const char* name : {"bounded", "bitmap"}) {
    for (int slot = 0; slot < 6; ++slot) {
      work_flags.set(Flag::work, {0, slot});
      work_flags.set(Flag::work, {1, slot});
    }
    VictimSelection look(distance_table, policy(name), thief);
    std::mt19937_64 random(3);
    std::vector<int> groups;
    while (Place place = look.next(work_flags, random())) groups.push_back(place.group);
    EXPECT_EQ(groups, (std::vector<int>{0, 0, 0, 0, 1, 1})) << name;
  }
}

TEST(DistanceTable, IsNowhereNearerThanOneStep) {
  const auto machine = charm::Machine::from("l3:2 core:2 pu:1");
  EXPECT_EQ(DistanceTable(machine, {0, 0}).distance(0, 1), 1) << "a chiplet that is listed twice";
  EXPECT_EQ(DistanceTable(machine, {0, 1}).distance(0, 1), 2);
  EXPECT_EQ(DistanceTable(machine, {0, 1}).distance(0, 0), 1);
  const DistanceTable own(std::vector<std::vector<double>>{{0, .5}, {.25, 0}});
  EXPECT_EQ(own.distance(0, 1), .5);
  EXPECT_EQ(own.distance(1, 0), .25);
  EXPECT_EQ(own.chiplet(1), 1);
}

/// Measured distances scatter.
TEST(DistanceTable, WhatIsATenthFartherIsInTheSameRing) {
  const auto weights = [](double second) {
    const DistanceTable table({{0, 1, second}, {1, 0, 1}, {second, 1, 0}});
    return std::pair(table.weight(0, 1), table.weight(0, 2));
  };
  EXPECT_FLOAT_EQ(weights(1.1).first, .5F);
  EXPECT_FLOAT_EQ(weights(1.1).second, static_cast<float>(1 / (2 * 1.21)));
  EXPECT_FLOAT_EQ(weights(1.11).first, 1);
  EXPECT_FLOAT_EQ(weights(1.11).second, static_cast<float>(1 / (1.11 * 1.11)));
}

TEST(VictimSelection, FarChipletsAreChosenByTheInverseSquareOfTheirDistance) {
  // From group 0: one group at distance 1, two at distance 2; all have work.
  const DistanceTable distance_table({{0, 1, 2, 2}, {1, 0, 2, 2}, {2, 2, 0, 1}, {2, 2, 1, 0}});
  WorkFlags work_flags(4, 2);
  const Place thief = work_flags.join(0);
  for (int g = 1; g < 4; ++g) work_flags.set(Flag::work, work_flags.join(g));
  std::mt19937_64 random(7);
  std::map<int, int> counts;
  constexpr int draws = 40000;
  for (int i = 0; i < draws; ++i) {
    VictimSelection look(distance_table, policy("bitmap"), thief);
    ++counts[look.next(work_flags, random()).group];
  }
  // Weights 1, 1/8, 1/8.
  EXPECT_NEAR(counts[1], draws * 0.8, draws * 0.02);
  EXPECT_NEAR(counts[2], draws * 0.1, draws * 0.02);
  EXPECT_NEAR(counts[3], draws * 0.1, draws * 0.02);
}

TEST(VictimSelection, ATriedNeighbourhoodIsLeftAfterABoundedNumberOfTries) {
  // Three neighbours with old flags: they must not keep the thief from the other chiplet.
  const DistanceTable distance_table({{0, 2}, {2, 0}});
  WorkFlags work_flags(2, 4);
  const Place thief = work_flags.join(0);
  for (int i = 0; i < 3; ++i) work_flags.set(Flag::work, work_flags.join(0));
  work_flags.set(Flag::work, work_flags.join(1));
  std::mt19937_64 random(1);
  VictimSelection look(distance_table, policy("bitmap"), thief);
  bool left = false;
  for (int i = 0; i < 8; ++i) left = left || look.next(work_flags, random()).group == 1;
  EXPECT_TRUE(left);
}

TEST(StealPolicy, SharesHalfOrOne) {
  EXPECT_EQ(policy("bitmap").share(9), 5);
  EXPECT_EQ(policy("bitmap").share(1), 1);
  EXPECT_EQ(policy("bitmap").share(2), 1);
  EXPECT_EQ(policy("bitmap").share(3), 2);
  EXPECT_EQ(policy("bitmap").share(0), 1);
  EXPECT_EQ(policy("nearest").share(9), 1);
  EXPECT_EQ(policies().back().name, "bitmap");
  try {
    policy("luck");
    FAIL();
  } catch (const charm::Error& error) {
    EXPECT_EQ(error.remedy(), "choose one of random, nearest, weighted, nearest-half, bounded, bitmap");
  }
}

}  // namespace
