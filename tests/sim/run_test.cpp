// Runs: the same seed gives the same result, controllers act, moves cost, phases alternate.
#include "sim/run.hpp"

#include <charm/error.hpp>

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

TEST(Run, WorksWithoutCounters) {
  RunOptions options;
  options.counters = false;
  options.warm_up = 60;
  EXPECT_GT(run(model("7713"), "sweep:mb=24", "charm", 8, options).efficiency, 0.9);
}

}  // namespace
