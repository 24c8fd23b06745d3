// What the simulator's figures rest on: points that are called predicted need no fit, fits carry over to other points,
// and most points are predictions.
#include "tools/sim/assumptions.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "thorough.hpp"
#include "tools/sim/regret.hpp"

using namespace charm::sim;

namespace {

/// A hard point that is marked as predicted must hold however the fitted and chosen numbers are moved. What depends on
/// Streamcluster's numbers is marked as fitted throughout, so the quick run leaves these out.
TEST(Assumptions, NoPredictedPointNeedsAFit) {
  const bool all = charm::tests::thorough();
  std::vector<Assumption> fits;
  for (const Assumption& one : assumptions()) {
    if (one.name == "blind_writes" || (all && one.kind != Assumption::Kind::estimate)) fits.push_back(one);
  }
  const auto figures = all ? dependent_figures() : std::vector<std::string>{"charm:fig7", "charm:tab1"};
  for (const Sensitivity& one : sensitivities(fits, figures, 0)) {
    EXPECT_GT(one.hard, 50);
    for (const auto& point : one.predicted) ADD_FAILURE() << point << " needs " << one.assumption->name;
  }
}

TEST(Assumptions, AreTheOnlyFreeNumbersAndHaveSources) {
  EXPECT_EQ(sizeof(Free), assumptions().size() * sizeof(double));
  EXPECT_EQ(std::count_if(assumptions().begin(), assumptions().end(),
                          [](const Assumption& one) { return one.kind == Assumption::Kind::fitted; }),
            3);
  std::ifstream page(std::string(CHARM_DOCS) + "/design/simulator.md");
  std::stringstream text;
  text << page.rdbuf();
  for (const Assumption& one : assumptions()) {
    EXPECT_FALSE(one.source.empty());
    EXPECT_NE(text.str().find("`" + std::string(one.name) + "`"), std::string::npos)
        << one.name << " is not in the page";
    const Free twice = moved(one, 2);
    for (const Assumption& other : assumptions())
      EXPECT_EQ(twice.*other.member, free_defaults.*other.member * (&other == &one ? 2 : 1));
  }
}

TEST(Assumptions, MostPointsArePredicted) {
  std::vector<Reproduction> all;
  for (const Figure& figure : figures()) all.push_back(reproduce(figure.name));
  const BasisCount points = count(all);
  EXPECT_GE(points.predicted * 10, points.all() * 6) << points.predicted << " of " << points.all();
}

/// But for one number: CHARM's rows of Tab. 2 ask for half as many fresh lines as SHOAL's.
TEST(Assumptions, WhatIsFittedToSomePointsHoldsAtOthers) {
  for (const CrossValidation& one : cross_validate(0)) {
    const bool known = one.fitted_to == "Tab. 2: CHARM";
    EXPECT_EQ(one.shape_holds, !known) << one.number << " fitted to " << one.fitted_to << " is " << one.value;
  }
}

/// What `charm run` stands at without counters (placement/standing.hpp).
TEST(Regret, OfStandingByMemoryIsSmall) {
  std::vector<std::string> machines;
  const auto known = models();
  for (std::size_t i = 0; i < known.size(); i += charm::tests::thorough() ? 1 : 2) machines.push_back(known[i].name);
  const auto all = regrets(machines, regret_workloads(), 0);
  ASSERT_GT(all.size(), 100U);
  const auto rules = summary_of(all);
  ASSERT_EQ(rules.front().rule, "by memory");
  // Less is not to be had from the memory alone: work that streams and work that shares may hold the same.
  EXPECT_LE(rules.front().worst, 3) << rules.front().at->workload << " on " << rules.front().at->machine << " with "
                                    << rules.front().at->workers << " workers";
  EXPECT_LE(rules.front().mean, charm::tests::thorough() ? 1.1 : 1.12);  // of half of the machines
  // Of all rules that know no more, none has a loss that is much smaller.
  const auto bounds = bounds_of(all);
  ASSERT_EQ(bounds.size(), 2U);
  EXPECT_LE(bounds[1].worst, rules.front().worst);
  EXPECT_LE(bounds[1].mean, rules.front().mean);
  EXPECT_LE(bounds[1].worst, bounds[0].worst) << "who knows more does no worse";
  EXPECT_LE(bounds[1].mean, bounds[0].mean);
  for (std::size_t other = 1; other < standing_rules().size(); ++other) {
    EXPECT_LT(rules.front().worst, rules[other].worst) << rules[other].rule;
    EXPECT_LT(rules.front().mean, rules[other].mean) << rules[other].rule;
  }
}

/// Both forms of the paper's algorithm have rows of their own.
TEST(Regret, OfControllersIsToldBesideTheRules) {
  const auto all = regrets({"epyc-7713"}, {"sweep:mb=24", "all-to-all"}, 1, {{"charm-alg1"}, {"charm-alg1-group"}});
  ASSERT_FALSE(all.empty());
  const auto summaries = summary_of(all);
  constexpr std::size_t kernels = 2;
  // Behind the controllers' own rows: the rule and the controllers beside the better kernel.
  ASSERT_EQ(summaries.size(), standing_rules().size() + kernels + 2 + 1 + 2);
  const std::size_t first = standing_rules().size() + kernels;
  const RegretSummary &printed = summaries[first], &group = summaries[first + 1];
  EXPECT_EQ(printed.rule, "charm-alg1");
  EXPECT_EQ(group.rule, "charm-alg1-group");
  EXPECT_GT(printed.worst, 1.5) << "nothing is shared in a sweep, so it stays on one chiplet";
  EXPECT_GE(printed.mean, 0.99);
  EXPECT_GE(group.mean, 0.99);
}

}  // namespace
