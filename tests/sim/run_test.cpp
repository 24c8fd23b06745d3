// Runs: the same seed gives the same result, controllers act, moves cost, phases alternate.
#include "tools/sim/run.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <set>
#include <vector>

#include <gtest/gtest.h>

using namespace charm::sim;

namespace {

TEST(Run, IsTheSameForTheSameSeed) {
  const Model m = model("2x7713");
  RunOptions options;
  options.noise = 0.05;
  const auto a = run(m, "sweep:mb=24@5+pairs@5", "charm", 8, options),
             b = run(m, "sweep:mb=24@5+pairs@5", "charm", 8, options);
  EXPECT_EQ(a.throughput, b.throughput);
  EXPECT_EQ(a.fills, b.fills);
  ASSERT_EQ(a.moves.size(), b.moves.size());
  for (std::size_t i = 0; i < a.moves.size(); ++i) EXPECT_EQ(a.moves[i].time, b.moves[i].time);
}

TEST(Run, SpreadsWhatDoesNotFitAndKeepsTogetherWhatShares) {
  const Model m = model("7713");
  const auto large = run(m, "sweep:mb=24", "charm", 8), shared = run(m, "all-to-all", "charm", 8);
  EXPECT_GT(large.level_share.back(), 0.8);
  EXPECT_FALSE(large.moves.empty());
  EXPECT_GT(shared.level_share.front(), 0.8);
}

TEST(Run, OfAStandingPolicyNeverMoves) {
  const auto r = run(model("7713"), "sweep:mb=24", "static:spread=2", 8);
  EXPECT_TRUE(r.moves.empty());
  EXPECT_EQ(r.level_share[1], 1);
}

TEST(Run, TakesControllersWithTheirParameters) {
  const auto r = run(model("7713"), "sweep:mb=24", "charm-alg1:threshold=300,events=any", 8);
  EXPECT_FALSE(r.moves.empty());
  EXPECT_THROW(run(model("7713"), "sweep", "charm-alg1:no=1", 8), charm::Error);
  EXPECT_THROW(run(model("7713"), "sweep", "best", 8), charm::Error);
  EXPECT_THROW(run(model("7713"), "sweep", "local", 65), charm::Error);
}

TEST(Run, PutsWorkersWhereThePrintedAlgorithmDoesAndTheGroupWhereTheFamilyIs) {
  const Model milan = model("7713");
  const auto printed = run(milan, "sweep:mb=24", "charm-alg1:events=any", 4);
  const auto group = run(milan, "sweep:mb=24", "charm-alg1-group:events=any", 4);
  EXPECT_EQ(printed.levels, (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(group.levels, (std::vector<int>{1, 2, 4}));
  std::set<int> chiplets;
  for (int w = 0; w < 4; ++w) {
    EXPECT_EQ(printed.worker_cores[static_cast<std::size_t>(w)].core, 8 * w) << "8 cores / spread_rate 8 is one slot";
    chiplets.insert(group.worker_cores[static_cast<std::size_t>(w)].chiplet);
  }
  EXPECT_EQ(chiplets, (std::set<int>{0, 1, 2, 3})) << "one worker on each";
  EXPECT_NEAR(printed.throughput / group.throughput, 1, 0.1);
}

TEST(Run, WorksWithoutCounters) {
  RunOptions options;
  options.counters = false;
  options.warm_up = 60;
  EXPECT_GT(run(model("7713"), "sweep:mb=24", "charm", 8, options).efficiency, 0.9);
}

/// The time at each level is what is drawn; a trial that was rolled back ends where it ended.
TEST(Run, TellsWhereTheWorkersStoodAlsoDuringTrials) {
  RunOptions options;
  options.seconds = 60;
  const RunResult r = run(model("epyc-7713-2s"), "zipf", "charm", 8, options);
  ASSERT_FALSE(r.moves.empty());
  ASSERT_TRUE(r.moves.back().outcome.starts_with("rolled back")) << r.moves.back().outcome;
  std::vector<double> share(r.levels.size(), 0);
  for (std::size_t i = 0; i < r.stands.size(); ++i) {
    const double end = i + 1 < r.stands.size() ? r.stands[i + 1].first : r.seconds;
    const auto level = std::find(r.levels.begin(), r.levels.end(), r.stands[i].second) - r.levels.begin();
    share[static_cast<std::size_t>(level)] += (end - r.stands[i].first) / r.seconds;
  }
  for (std::size_t level = 0; level < share.size(); ++level) EXPECT_NEAR(share[level], r.level_share[level], 0.01);
  EXPECT_EQ(r.stands.back().second, r.moves.back().from);
}

}  // namespace
