// What the default controller loses against the best of all static policies, those of other orders of sockets included
// (docs/design/simulator.md, "Standing without knowing").
#include "tools/sim/regret.hpp"

#include <algorithm>
#include <stdexcept>

#include <gtest/gtest.h>

#include "thorough.hpp"

using namespace charm::sim;

namespace {

std::string name_of(const Regret& one) {
  return one.workload + " on " + one.machine + ", " + std::to_string(one.workers) + " workers; best: " + one.best;
}

/// 64 workers fill one socket of a 2 x 7713, whose placement had no other level: 14.2 times slower on `sweep`.
TEST(Regret, TheControllerLeavesASocketThatItsWorkersFill) {
  int full = 0;
  for (const Regret& one :
       regrets({"epyc-7713-2s"}, {"sweep", "sweep:mb=24"}, 0, {{"adaptive"}, {"adaptive", false}})) {
    if (one.workers != 64) continue;
    ++full;
    for (const Stood& controller : one.moved)
      EXPECT_LE(controller.loss, 1.1) << controller.policy << ": " << name_of(one);
  }
  EXPECT_EQ(full, 2);
}

/// Workers that are done early wait at a barrier for those that wait for memory: that is no lack of work. Without
/// counters it may be one, so that fewer chiplets are tried first, and then more: 2.65 times slower while they were
/// not.
TEST(Regret, WorkersThatIdleAtBarriersOfMemoryBoundWorkAreSpread) {
  for (const Regret& one : regrets({"kunpeng-920-128"}, {"copy"}, 0, {{"adaptive"}, {"adaptive", false}})) {
    for (const Stood& controller : one.moved)
      EXPECT_LE(controller.loss, 1.1) << controller.policy << ": " << name_of(one);
  }
}

/// The aim of docs/design/simulator.md: at most 1.5 times slower at worst, and 1.1 on average.
const RegretSummary& named(const std::vector<RegretSummary>& summaries, const std::string& rule) {
  const auto found =
      std::find_if(summaries.begin(), summaries.end(), [&](const RegretSummary& one) { return one.rule == rule; });
  if (found == summaries.end()) throw std::logic_error("no row '" + rule + "'");
  return *found;
}

TEST(Regret, OfTheDefaultControllerIsSmallWithAndWithoutCounters) {
  const auto all = regrets({"epyc-7713-2s"}, regret_workloads(), 0, {{"adaptive"}, {"adaptive", false}});
  const auto summaries = summary_of(all);
  for (const std::string policy : {"adaptive", "adaptive, no counters"}) {
    const RegretSummary& controller = named(summaries, policy);
    EXPECT_LE(controller.worst, 1.5) << policy << ": " << name_of(*controller.at);
    EXPECT_LE(controller.mean, 1.05) << policy;
  }
}

/// Whoever uses no tool has the better of two kernels at most.
TEST(Regret, OfTheDefaultsIsBelowThatOfNoToolOnTheAverage) {
  const auto all = regrets({"epyc-7713-2s", "epyc-9355p"}, regret_workloads(), 0, {{"adaptive"}});
  const auto summaries = summary_of(all);
  EXPECT_LE(named(summaries, "by memory, beside the better kernel").mean, 1.0);
  const RegretSummary& adaptive = named(summaries, "adaptive, beside the better kernel");
  EXPECT_LE(adaptive.mean, .95);
  EXPECT_LE(adaptive.worst, 1.45) << name_of(*adaptive.at);
  EXPECT_GT(named(summaries, "linux-6").mean, 1.05) << "else there is nothing to gain";
  EXPECT_GT(named(summaries, "linux-7.2").mean, 1.05);
}

}  // namespace
