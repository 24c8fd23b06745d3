// How a point comes out, and what follows for a claim; whether a machine has what a claim needs.
#include "tools/evaluate/judge.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "evaluate/pretended.hpp"

namespace charm::evaluate {
namespace {

using charm::test::has;

Samples seconds(const std::string& name, double value, double noise, int rounds = 15) {
  Samples samples{name, "s", false, {}};
  base::Random random(static_cast<std::uint64_t>(name.size() + value * 100));
  for (int i = 0; i < rounds; ++i) samples.values.push_back(value * std::max(0.05, 1 + noise * random.normal()));
  return samples;
}

Point judged(Expect expect, double bound, double first_s, double second_s, double noise = 0.005) {
  std::vector<Point> points = {{.series = "p", .first = "a", .second = "bb", .expect = expect, .bound = bound}};
  judge_points(points, {seconds("a", first_s, noise), seconds("bb", second_s, noise)}, 3);
  return points.front();
}

TEST(Points, AreAheadBehindTiedOrUnclear) {
  const Point ahead = judged(Expect::ahead, 1, 1.0, 1.5);
  EXPECT_EQ(ahead.outcome, Outcome::holds);
  EXPECT_NEAR(ahead.measured->value, 1.5, 0.03) << "less time is better";
  EXPECT_EQ(judged(Expect::ahead, 1, 1.5, 1.0).outcome, Outcome::fails);
  EXPECT_EQ(judged(Expect::ahead, 1, 1.0, 1.0).outcome, Outcome::tie);
  EXPECT_EQ(judged(Expect::ahead, 1, 1.0, 1.05, 0.4).outcome, Outcome::unclear);
  EXPECT_EQ(judged(Expect::ahead, 1.4, 1.0, 1.2).outcome, Outcome::fails) << "ahead of the bound, not of 1";
}

TEST(Points, OfRatesHaveTheLargerOneAhead) {
  std::vector<Point> points = {{.series = "p", .first = "a", .second = "bb", .expect = Expect::ahead}};
  auto a = seconds("a", 40, 0.005), b = seconds("bb", 20, 0.005);
  a.more_is_better = b.more_is_better = true;
  judge_points(points, {a, b}, 3);
  EXPECT_NEAR(points.front().measured->value, 2, 0.05);
  EXPECT_EQ(points.front().outcome, Outcome::holds);
}

TEST(Points, KeepWithinBoundsOnlyIfTheWholeIntervalDoes) {
  EXPECT_EQ(judged(Expect::at_most, 1.01, 1.0, 0.99).outcome, Outcome::holds);
  EXPECT_EQ(judged(Expect::at_most, 1.01, 1.0, 1.1).outcome, Outcome::fails);
  EXPECT_EQ(judged(Expect::at_most, 1.01, 1.0, 1.0, 0.2).outcome, Outcome::unclear);
  const Point wide = judged(Expect::at_most, 1.2, 1.0, 1.0, 0.4);
  EXPECT_LT(wide.measured->value, 1.2);
  EXPECT_EQ(wide.outcome, Outcome::unclear) << "the value is below the bound, and its interval is not";
  EXPECT_EQ(judged(Expect::at_least, 0.95, 1.0, 1.0).outcome, Outcome::holds);
  EXPECT_EQ(judged(Expect::at_least, 0.95, 1.0, 0.5).outcome, Outcome::fails);
  EXPECT_EQ(judged(Expect::at_least, 0.95, 1.0, 0.95, 0.2).outcome, Outcome::unclear);
  EXPECT_EQ(judged(Expect::equal, 0.1, 1.0, 1.03).outcome, Outcome::holds) << "a real difference within the bound";
  EXPECT_EQ(judged(Expect::equal, 0.1, 1.0, 1.3).outcome, Outcome::fails);
  EXPECT_EQ(judged(Expect::equal, 0.1, 1.0, 1.0, 0.4).outcome, Outcome::unclear);
}

TEST(Points, WithoutASecondAreValuesWithAUnit) {
  std::vector<Point> points = {
      {.series = "p", .first = "a", .expect = Expect::at_most, .bound = 500},
      {.series = "q", .first = "not there", .expect = Expect::at_most, .bound = 500},
  };
  auto a = seconds("a", 40, 0.01);
  a.unit = "µs";
  judge_points(points, {a}, 3);
  EXPECT_EQ(points[0].outcome, Outcome::holds);
  EXPECT_EQ(points[0].unit, "µs");
  EXPECT_TRUE(measured_text(points[0]).starts_with("40") || measured_text(points[0]).starts_with("39"));
  EXPECT_EQ(expected_text(points[0]), "at most 500 µs");
  EXPECT_EQ(points[1].outcome, Outcome::not_measured);
  EXPECT_EQ(measured_text(points[1]), "–");
}

std::vector<Point> with(std::initializer_list<Outcome> outcomes) {
  std::vector<Point> points;
  for (const Outcome outcome : outcomes) {
    Point point{.series = "s" + std::to_string(points.size()), .x = 8, .expect = Expect::ahead};
    if (outcome != Outcome::not_measured) point.measured = compare::Ratio{1.2, {1.1, 1.3}, {1.05, 1.35}};
    if (outcome == Outcome::reported) point.expect = Expect::nothing;
    point.outcome = outcome;
    points.push_back(std::move(point));
  }
  return points;
}

TEST(Verdicts, NeedEveryPointToConfirmAndOneToRefute) {
  using enum Outcome;
  EXPECT_EQ(verdict_of(with({holds, holds, reported}), "MiB").finding, Finding::confirmed);
  EXPECT_EQ(verdict_of(with({holds, fails, not_measured}), "MiB").finding, Finding::not_confirmed);
  EXPECT_EQ(verdict_of(with({holds, tie}), "MiB").finding, Finding::not_confirmed);
  EXPECT_EQ(verdict_of(with({holds, unclear}), "MiB").finding, Finding::cannot_tell);
  EXPECT_EQ(verdict_of(with({holds, not_measured}), "MiB").finding, Finding::cannot_tell);
  EXPECT_EQ(verdict_of(with({reported}), "MiB").finding, Finding::cannot_tell);
  EXPECT_EQ(verdict_of({}, "MiB").finding, Finding::cannot_tell);
}

TEST(Verdicts, SayWhichPointDecides) {
  using enum Outcome;
  EXPECT_TRUE(has(verdict_of(with({holds, fails}), "MiB").why, "s1 at 8"))
      << verdict_of(with({holds, fails}), "MiB").why;
  EXPECT_TRUE(has(verdict_of(with({tie}), "MiB").why, "there is no difference"));
  EXPECT_TRUE(has(verdict_of(with({holds, unclear}), "MiB").why, "too wide: s1"));
  EXPECT_TRUE(has(verdict_of(with({holds, not_measured}), "MiB").why, "not measured: s1"));
  const std::string mixed = verdict_of(with({not_measured, unclear, not_measured}), "MiB").why;
  EXPECT_TRUE(has(mixed, "at 1 of 3 points the interval is too wide: s1")) << mixed;
  EXPECT_TRUE(has(mixed, "2 of 3 points were not measured: s0")) << mixed;
}

TEST(NeedsOfAClaim, AreToldOneByOne) {
  Facts facts;
  facts.machine = Machine::from("pack:2 l3:2 core:4 pu:1");
  facts.vendor = "amd";
  facts.fills = true;
  facts.benchmarks = {"graph"};
  EXPECT_EQ(unmet({.cores = 16, .chiplets = 4, .cores_per_chiplet = 4, .fills = true, .benchmark = "graph"}, facts),
            "");
  EXPECT_TRUE(has(unmet({.cores = 17}, facts), "17 cores and this machine has 16"));
  EXPECT_TRUE(has(unmet({.chiplets = 5}, facts), "5 chiplets and this machine has 4"));
  EXPECT_TRUE(has(unmet({.most_chiplets = 1}, facts), "about machines of 1 chiplet"));
  EXPECT_TRUE(has(unmet({.cores_per_chiplet = 5}, facts), "on a chiplet"));
  EXPECT_TRUE(has(unmet({.nodes = 3}, facts), "NUMA node"));
  EXPECT_TRUE(has(unmet({.vendor = "intel"}, facts), "of Intel and this one is of AMD"));
  EXPECT_TRUE(has(unmet({.benchmark = "streamcluster"}, facts), "streamcluster"));
  facts.fills = false;
  facts.why_no_fills = "perf_event_paranoid is 4";
  EXPECT_TRUE(has(unmet({.fills = true}, facts), "perf_event_paranoid is 4"));
  for (Chiplet& chiplet : facts.machine.chiplets) chiplet.l3_bytes = 0;
  EXPECT_TRUE(has(unmet({.cache_sizes = true}, facts), "size"));
  facts.benchmarks.clear();
  facts.why_no_benchmarks = "charm-bench is missing";
  EXPECT_EQ(unmet({.benchmark = "graph"}, facts), "charm-bench is missing");
}

}  // namespace
}  // namespace charm::evaluate
