// What the simulator's figures rest on: points that are called predicted need no fit, fits carry over to other points,
// and most points are predictions.
#include "tools/evaluate/assumptions.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "thorough.hpp"
#include "tools/evaluate/judge.hpp"

using namespace charm::evaluate;

namespace {

/// A hard point that is marked as predicted must hold however the fitted and chosen numbers are moved. What depends on
/// Streamcluster's numbers is marked as fitted throughout, so the quick run leaves these out.
TEST(Assumptions, NoPredictedPointNeedsAFit) {
  const bool all = charm::tests::thorough();
  std::vector<Assumption> fits;
  for (const Assumption& one : assumptions()) {
    if (one.name == "blind_writes" || (all && one.kind != Assumption::Kind::estimate)) fits.push_back(one);
  }
  const auto figures = all ? dependent_experiments() : chosen({"charm-tab1"});
  for (const Sensitivity& one : sensitivities(fits, figures, 0)) {
    EXPECT_GT(one.hard, all ? 20 : 5);
    for (const auto& point : one.predicted) ADD_FAILURE() << point << " needs " << one.assumption->name;
  }
}

TEST(Assumptions, AreTheOnlyFreeNumbersAndHaveSources) {
  EXPECT_EQ(sizeof(charm::sim::Free), assumptions().size() * sizeof(double));
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
    const charm::sim::Free twice = moved(one, 2);
    for (const Assumption& other : assumptions())
      EXPECT_EQ(twice.*other.member, charm::sim::free_defaults.*other.member * (&other == &one ? 2 : 1));
  }
}

TEST(Assumptions, MostPointsArePredicted) {
  if (!charm::tests::thorough()) GTEST_SKIP() << "runs every experiment: with CHARM_TEST_THOROUGH=1";
  std::vector<Reproduction> all;
  for (const Experiment* each : reproducible()) all.push_back(reproduce(*each));
  const BasisCount points = count(all);
  EXPECT_GE(points.predicted * 10, points.all() * 6) << points.predicted << " of " << points.all();
}

/// But for one number: CHARM's rows of Tab. 2 ask for half as many fresh lines as SHOAL's.
TEST(Assumptions, WhatIsFittedToSomePointsHoldsAtOthers) {
  if (!charm::tests::thorough()) GTEST_SKIP() << "fits again and again: with CHARM_TEST_THOROUGH=1";
  for (const CrossValidation& one : cross_validate(0)) {
    const bool known = one.fitted_to == "Tab. 2: CHARM";
    EXPECT_EQ(one.shape_holds, !known) << one.number << " fitted to " << one.fitted_to << " is " << one.value;
  }
}

}  // namespace
