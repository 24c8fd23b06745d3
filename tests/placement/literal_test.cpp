// Algorithm 2 as printed: what it does and refuses, row by row of the table in docs/design/placement.md.
#include <charm/error.hpp>

#include <optional>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "placement/literal_map.hpp"
#include "placement/machines.hpp"
#include "placement/placement_policy.hpp"

using namespace charm;
using namespace charm::placement;
using namespace charm::test;

namespace {

std::string refusal(const Machine& machine, int workers, int spread) {
  try {
    policy("literal").place(machine, {.workers = workers, .spread = spread});
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::refused) << error.what();
    return error.what();
  }
  return "";
}

/// Cores in the order of the workers; nothing where it refuses.
std::optional<std::vector<int>> cores(const Machine& machine, int workers, int spread) {
  try {
    Placement placement = policy("literal").place(machine, {.workers = workers, .spread = spread});
    std::vector<int> list;
    for (const WorkerCore& worker_core : placement.start()) list.push_back(worker_core.core);
    return list;
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::size_t distinct(const std::vector<int>& list) { return std::set<int>(list.begin(), list.end()).size(); }

std::size_t chiplets_used(const Machine& machine, const std::vector<int>& list) {
  std::set<int> used;
  for (int core : list) used.insert(machine.cores[static_cast<std::size_t>(core)].chiplet);
  return used.size();
}

TEST(Literal, RefusesTheExactFit) {
  Machine machine = uniform(1, 8, 8);
  EXPECT_NE(refusal(machine, 8, 1).find("8 workers >= spread 1 * 8"), std::string::npos);
  EXPECT_NE(refusal(machine, 64, 8).find("exact fit"), std::string::npos);
  EXPECT_EQ(refusal(machine, 7, 1), "");
  EXPECT_EQ(refusal(machine, 63, 8), "");
}

/// Of eight chiplets of two cores Algorithm 2 can use one or two.
TEST(LiteralMap, HasTheLevelsThatArePossible) {
  const Placement map = literal_map(uniform(1, 8, 2), {.workers = 1});
  EXPECT_EQ(map.levels, (std::vector{1, 2}));
  ASSERT_EQ(map.worker_cores.size(), 2U);
  const Machine machine = uniform(1, 4, 8);
  const Placement whole = literal_map(machine, {.workers = 7});
  ASSERT_EQ(whole.levels, (std::vector{1, 2, 3, 4}));
  for (int level = 1; level <= 4; ++level) {
    EXPECT_EQ(whole.worker_cores[static_cast<std::size_t>(level) - 1],
              policy("literal").place(machine, {.workers = 7, .spread = level}).start())
        << level;
  }
}

TEST(Literal, RefusesASpreadThatIsNotANumberOfChiplets) {
  EXPECT_NE(refusal(uniform(1, 8, 8), 4, 9).find("1..8"), std::string::npos);
  EXPECT_NE(refusal(uniform(1, 8, 8), 4, -1), "");
}

TEST(Literal, NeverCollidesOnEightByEightWhenAllWorkersStandAtOneSpread) {
  Machine machine = uniform(1, 8, 8);
  for (int spread = 1; spread <= 8; ++spread) {
    for (int workers = 1; workers < 8 * spread; ++workers) {
      auto list = cores(machine, workers, spread);
      ASSERT_TRUE(list) << workers << " at " << spread;
      EXPECT_EQ(distinct(*list), list->size()) << workers << " at " << spread;
    }
  }
}

TEST(Literal, DividesByZeroAboveTheCoresOfAChiplet) {
  Machine machine = uniform(2, 8, 8);
  for (int spread = 9; spread <= 16; ++spread) {
    EXPECT_NE(refusal(machine, 8, spread).find("divides by that"), std::string::npos) << spread;
  }
}

TEST(Literal, CollidesWithFewerChipletsThanCoresInOne) {
  auto list = cores(uniform(1, 4, 32), 33, 4);
  ASSERT_TRUE(list);
  EXPECT_EQ((*list)[1], 1);
  EXPECT_EQ((*list)[32], 1);
}

TEST(Literal, CollidesAtThreeWorkersWithTwoSpreads) {
  Machine machine = uniform(1, 8, 8);
  EXPECT_EQ((*cores(machine, 3, 5))[1], 8);
  EXPECT_EQ((*cores(machine, 3, 4))[2], 8);
}

TEST(Literal, CollidesInNearlyAllMixesOfSpreadsAtSixteenWorkers) {
  Machine machine = uniform(1, 8, 8);
  std::vector<std::vector<int>> valid;
  for (int spread = 1; spread <= 8; ++spread) {
    if (auto list = cores(machine, 16, spread)) valid.push_back(*list);
  }
  std::mt19937 random(1);
  int collisions = 0;
  const int mixes = 20000;
  for (int i = 0; i < mixes; ++i) {
    std::set<int> used;
    for (std::size_t w = 0; w < 16; ++w) used.insert(valid[random() % valid.size()][w]);
    collisions += used.size() < 16;
  }
  EXPECT_NEAR(static_cast<double>(collisions) / mixes, 0.997, 0.003);
}

TEST(Literal, UsesAllEightChipletsFromSixteenWorkersOnWhateverTheSpread) {
  Machine machine = uniform(1, 8, 8);
  for (int workers = 16; workers < 64; ++workers) {
    for (int spread = 1; spread <= 8; ++spread) {
      if (auto list = cores(machine, workers, spread)) {
        EXPECT_EQ(chiplets_used(machine, *list), 8U) << workers << " at " << spread;
      }
    }
  }
}

TEST(Literal, MovesMostWorkersWhenTheSpreadChangesByOne) {
  Machine machine = uniform(1, 8, 8);
  EXPECT_EQ(chiplets_used(machine, *cores(machine, 8, 3)), 4U);
  for (int spread = 5; spread <= 8; ++spread) EXPECT_EQ(chiplets_used(machine, *cores(machine, 8, spread)), 8U);
  for (int spread = 2; spread < 5; ++spread) {
    auto before = *cores(machine, 8, spread), after = *cores(machine, 8, spread + 1);
    int moved = 0;
    for (std::size_t w = 0; w < 8; ++w) moved += before[w] != after[w];
    if (spread == 3) {
      EXPECT_EQ(moved, 0) << "8/3 and 8/4 are both 2";
    } else {
      EXPECT_TRUE(moved == 6 || moved == 7) << moved << " at " << spread;
    }
  }
}

TEST(Literal, EntersTheSecondSocketWhileTheFirstHasFreeCores) {
  Machine machine = uniform(2, 8, 8);
  for (int spread = 5; spread <= 8; ++spread) {
    auto list = *cores(machine, 9, spread);
    EXPECT_EQ(machine.cores[static_cast<std::size_t>(list[8])].socket, 1) << spread;
  }
}

TEST(Literal, TakesItsCoreForACpuNumberAlsoWhereSiblingsAreNeighbours) {
  auto list = cores(uniform(1, 2, 4, 2, Numbering::adjacent), 3, 1);
  EXPECT_EQ(*list, (std::vector<int>{0, 0, 1})) << "cpus 0 and 1 are one core";
}

TEST(Literal, RefusesACoreThatTheProcessMayNotUseAndSaysWhich) {
  Shape shape;
  shape.sockets = {{{{4, 32}, {4, 32}}}};
  shape.forbidden = {2};
  EXPECT_NE(refusal(build(shape), 3, 1).find("core 2 for worker 2"), std::string::npos);
}

TEST(Literal, StandsAtSpreadOneUnlessTold) {
  Placement placement = policy("literal").place(uniform(1, 8, 8), {.workers = 4});
  EXPECT_EQ(placement.levels, std::vector<int>{1});
}

}  // namespace
