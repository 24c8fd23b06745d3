// The family and its apportionment: what the placements are built from.
#include "placement/family.hpp"

#include <algorithm>
#include <numeric>
#include <rapidcheck.h>
#include <tuple>

#include <gtest/gtest.h>

#include "placement/apportion.hpp"
#include "placement/properties.hpp"

using namespace charm;
using namespace charm::placement;
using charm::test::at;

namespace {

std::vector<Bin> bins(const std::vector<std::pair<int, std::uint64_t>>& sizes) {
  std::vector<Bin> order;
  int core = 0;
  for (auto [cores, weight] : sizes) {
    Bin bin{weight, {}};
    int chiplet = static_cast<int>(order.size());
    for (int i = 0; i < cores; ++i, ++core) bin.worker_cores.push_back({core, core, chiplet, 0, 0});
    order.push_back(bin);
  }
  return order;
}

std::vector<Bin> equal_bins(int chiplets, int cores) {
  return bins(std::vector<std::pair<int, std::uint64_t>>(at(chiplets), {cores, 32}));
}

/// D'Hondt by its definition, written a second way: every claim a chiplet could make, sorted, the highest taken.
std::vector<int> loads_by_sorting(const std::vector<Bin>& order, int level, int workers) {
  bool equal = std::any_of(order.begin(), order.end(), [](const Bin& b) { return b.weight == 0; });
  std::vector<std::tuple<int, long double, int>> claims;  // (not the first, -quotient, chiplet) ascending
  for (int c = 0; c < level; ++c) {
    for (std::size_t k = 0; k < order[at(c)].worker_cores.size(); ++k) {
      auto weight = equal ? 1.0L : static_cast<long double>(order[at(c)].weight);
      claims.emplace_back(k == 0 ? 0 : 1, k == 0 ? 0.0L : -weight / static_cast<long double>(k + 1), c);
    }
  }
  std::sort(claims.begin(), claims.end());
  std::vector<int> loads(at(level), 0);
  for (int w = 0; w < workers; ++w) ++loads[at(std::get<2>(claims[at(w)]))];
  return loads;
}

std::vector<int> loads_of(const std::vector<WorkerCore>& row, int level) {
  std::vector<int> loads(at(level), 0);
  for (const WorkerCore& worker_core : row) ++loads.at(at(worker_core.chiplet));
  return loads;
}

TEST(Apportion, SharesEqualChipletsEvenlyAndUnequalOnesByTheirCache) {
  std::vector<Claimant> equal(3, {32, 8});
  EXPECT_EQ(apportion(equal, 8), (std::vector<int>{3, 3, 2}));
  std::vector<Claimant> stacked{{96, 8}, {32, 8}};
  EXPECT_EQ(apportion(stacked, 8), (std::vector<int>{6, 2}));
  EXPECT_EQ(apportion(stacked, 12), (std::vector<int>{8, 4})) << "a chiplet never takes more than its cores";
}

TEST(Apportion, IsMonotoneWhereLargestRemainderRoundingIsNot) {
  std::vector<Claimant> order{{1, 9}, {1, 9}, {3, 9}, {1, 9}};
  for (int workers = 4; workers <= 30; ++workers) {
    auto three = apportion(std::span(order).first(3), std::min(workers, 27)),
         four = apportion(order, std::min(workers, 27));
    for (std::size_t c = 0; c < 3; ++c) EXPECT_LE(four[c], three[c]) << workers;
  }
}

TEST(Family, TreatsAllChipletsAlikeAtEveryLevelWhereOneTellsNoCacheSize) {
  auto family = build_family(bins({{8, 96}, {8, 32}, {8, 0}}), 8, std::vector<int>{1, 2, 3});
  EXPECT_EQ(loads_of(family.worker_cores[1], 2), (std::vector<int>{4, 4}));
  EXPECT_EQ(loads_of(family.worker_cores[2], 3), (std::vector<int>{3, 3, 2}));
}

TEST(Family, LevelsAreThePowersOfTwoFromTheLeastThatFitsAndTheWhole) {
  EXPECT_EQ(doubling_levels(equal_bins(8, 8), 8), (std::vector<int>{1, 2, 4, 8}));
  EXPECT_EQ(doubling_levels(equal_bins(8, 8), 20), (std::vector<int>{3, 4, 8}));
  EXPECT_EQ(doubling_levels(equal_bins(12, 8), 16), (std::vector<int>{2, 4, 8, 12}));
  EXPECT_EQ(doubling_levels(equal_bins(8, 8), 3), (std::vector<int>{1, 2, 3})) << "three workers cannot use eight";
  EXPECT_EQ(doubling_levels(equal_bins(8, 8), 64), (std::vector<int>{8}));
}

TEST(Family, DoublingKeepsAllPairsOfSixteenWorkersWhereSingleStepsKeepFive) {
  auto pairs_kept = [](const std::vector<int>& levels) {
    auto family = build_family(equal_bins(8, 8), 16, levels);
    int kept = 0;
    for (std::size_t w = 0; w < 16; w += 2)
      kept += family.worker_cores.back()[w].chiplet == family.worker_cores.back()[w + 1].chiplet;
    return kept;
  };
  EXPECT_EQ(pairs_kept({2, 4, 8}), 8);
  EXPECT_EQ(pairs_kept({2, 3, 4, 5, 6, 7, 8}), 5);
}

TEST(Family, AWorkedExampleReadsAsInTheDocumentation) {
  auto family = build_family(equal_bins(4, 4), 8, std::vector<int>{2, 4});
  std::vector<int> first, second;
  for (const WorkerCore& worker_core : family.worker_cores[0]) first.push_back(worker_core.core);
  for (const WorkerCore& worker_core : family.worker_cores[1]) second.push_back(worker_core.core);
  EXPECT_EQ(first, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(second, (std::vector<int>{0, 1, 8, 9, 4, 5, 12, 13}));
}

TEST(Family, EveryMixOfLevelsOnEverySmallMachineIsFreeOfCollisions) {
  long mixes = 0;
  for (int chiplets = 1; chiplets <= 4; ++chiplets) {
    for (int cores = 1; cores <= 4; ++cores) {
      for (int workers = 1; workers <= std::min(6, chiplets * cores); ++workers) {
        auto order = equal_bins(chiplets, cores);
        std::vector<int> levels(at(std::min(chiplets, workers) - least_level(order, workers) + 1));
        std::iota(levels.begin(), levels.end(), least_level(order, workers));
        auto family = build_family(order, workers, levels);
        std::vector<std::size_t> mix(at(workers), 0);
        for (bool more = true; more; ++mixes) {
          std::set<int> cores_used;
          for (std::size_t w = 0; w < mix.size(); ++w) cores_used.insert(family.worker_cores[mix[w]][w].core);
          ASSERT_EQ(cores_used.size(), mix.size());
          more = false;
          for (std::size_t w = 0; w < mix.size() && !more; ++w) {
            more = ++mix[w] < levels.size();
            if (!more) mix[w] = 0;
          }
        }
      }
    }
  }
  EXPECT_GT(mixes, 1000);
}

TEST(FamilyProperty, HoldsOverRandomUnequalChipletsAndAnyListOfLevels) {
  EXPECT_TRUE(rc::check("any chiplets and any ascending levels make a monotone family", [] {
    auto sizes = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::pair<int, std::uint64_t>>>(
        rc::gen::pair(rc::gen::inRange(1, 10), rc::gen::element<std::uint64_t>(0, 8, 16, 32, 33, 96))));
    auto order = bins(sizes);
    int room = 0;
    for (const Bin& bin : order) room += static_cast<int>(bin.worker_cores.size());
    const int workers = *rc::gen::inRange(1, room + 1);
    std::vector<int> levels{least_level(order, workers)};
    const int whole = std::min(static_cast<int>(order.size()), workers);
    for (int s = levels.front() + 1; s <= whole; ++s) {
      if (*rc::gen::arbitrary<bool>()) levels.push_back(s);
    }
    Placement p = combine({build_family(order, workers, levels)}, 0);

    RC_ASSERT(test::ranges_overlap(p) == "");
    RC_ASSERT(test::wrong_width(p) == "");
    RC_ASSERT(test::needless_moves(p) == "");
    for (std::size_t l = 0; l < levels.size(); ++l) {
      RC_ASSERT(loads_of(p.worker_cores[l], levels[l]) == loads_by_sorting(order, levels[l], workers));
    }
  }));
}

}  // namespace
