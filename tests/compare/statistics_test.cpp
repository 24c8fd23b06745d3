// The estimate, its interval and the verdict, on simulated machines: what the command promises, without a clock.
#include "tools/compare/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <rapidcheck.h>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "compare/simulated_noise.hpp"
#include "tools/base/quantile.hpp"
#include "tools/compare/verdict.hpp"

namespace {

using namespace charm::compare;
using simulated::simulate;

constexpr std::size_t rounds = 15;
constexpr int trials = 100;

Evidence evidence_of(const simulated::Times& times) {
  return {paired_ratio(times.first, times.second, 7), fastest_ratio(times.first, times.second, 7),
          rank_sum(times.first, times.second)};
}

/// Of so many trials with the shape's noise, how many end with the finding.
int found(const simulated::Shape& shape, double ratio, Finding wanted) {
  int count = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const auto times = simulate(shape, rounds, ratio, static_cast<std::uint64_t>(trial) + 1);
    const auto verdict = judge(evidence_of(times), static_cast<int>(rounds), {});
    count += verdict.finding == wanted ? 1 : 0;
  }
  return count;
}

TEST(Bars, AProgramDoesNotDifferFromItselfIn95Of100) {
  for (const auto& shape : simulated::quiet_shapes()) {
    EXPECT_GE(found(shape, 1.0, Finding::same), trials * 95 / 100) << shape.name;
  }
}

TEST(Bars, ASlowdownOf5PercentIsFoundIn90Of100) {
  for (const auto& shape : simulated::quiet_shapes()) {
    EXPECT_GE(found(shape, 1.05, Finding::first_wins), trials * 90 / 100) << shape.name;
  }
  const auto usual = simulated::quiet_shapes().front();
  EXPECT_GE(found(usual, 1 / 1.05, Finding::second_wins), trials * 90 / 100) << "and a speed-up as well";
}

TEST(Bars, AFewMoreDisturbedRunsCostAnswersButAddNoWrongOnes) {
  for (const auto& shape : simulated::disturbed_shapes()) {
    EXPECT_GE(found(shape, 1.05, Finding::first_wins), trials * 90 / 100) << shape.name;
    EXPECT_GE(found(shape, 1.0, Finding::same) + found(shape, 1.0, Finding::unknown), trials * 96 / 100) << shape.name;
  }
}

TEST(Bars, TheFastestRunsTellWhereMostAreDisturbed) {
  for (const auto& shape : simulated::thieving_shapes()) {
    EXPECT_GE(found(shape, 1.05, Finding::first_wins), trials * 90 / 100) << shape.name;
    EXPECT_GE(found(shape, 1.0, Finding::same), trials * 80 / 100) << shape.name;
    const int claims = found(shape, 1.0, Finding::first_wins) + found(shape, 1.0, Finding::second_wins);
    EXPECT_LE(claims, trials * 4 / 100) << shape.name;
  }
}

TEST(Bars, AProgramThatIsSlowAtTimesDoesNotHideBehindItsFastestRuns) {
  int hidden = 0;
  for (int trial = 0; trial < 4 * trials; ++trial) {
    auto times = simulate(simulated::quiet_shapes().front(), rounds, 1.0, static_cast<std::uint64_t>(trial) + 1);
    simulated::Dice dice(static_cast<std::uint64_t>(trial) + 5000);
    for (double& time : times.second) time *= dice.uniform() < 0.5 ? 1.4 : 1.0;
    const auto verdict = judge(evidence_of(times), static_cast<int>(rounds), {});
    hidden += verdict.finding == Finding::same || verdict.finding == Finding::second_wins ? 1 : 0;
  }
  EXPECT_LE(hidden, 4 * trials * 5 / 100);
}

TEST(Bars, NoiseIsNotTakenForADifference) {
  for (const auto& shape : simulated::busy_shapes()) {
    const int claims = found(shape, 1.0, Finding::first_wins) + found(shape, 1.0, Finding::second_wins);
    EXPECT_LE(claims, trials * 4 / 100) << shape.name;
    EXPECT_GE(found(shape, 1.0, Finding::unknown), trials * 80 / 100) << shape.name;
  }
}

constexpr int families = 60;

/// Of so many comparisons, each of one program with five others that are equal to it, in how many a difference is
/// claimed.
int wrong_of_families(const simulated::Shape& shape, std::size_t told) {
  constexpr std::size_t others = 5;
  int wrong = 0;
  for (int trial = 0; trial < families; ++trial) {
    std::vector<simulated::Times> pairs;
    for (std::size_t other = 0; other < others; ++other)
      pairs.push_back(simulate(shape, rounds, 1.0, static_cast<std::uint64_t>(trial) * others + other + 1));
    bool claims = false;
    for (const auto& pair : pairs) {
      const auto& first = pairs.front().first;  // of all comparisons
      const auto ratio = paired_ratio(first, pair.second, 7, told);
      const auto verdict =
          judge(Evidence{ratio, fastest_ratio(first, pair.second, 7, told), rank_sum(first, pair.second)},
                static_cast<int>(rounds), {});
      claims = claims || verdict.finding == Finding::first_wins || verdict.finding == Finding::second_wins;
    }
    wrong += claims ? 1 : 0;
  }
  return wrong;
}

TEST(Bars, OfSeveralEqualProgramsNoneDiffersIn95Of100) {
  int corrected = 0;
  int plain = 0;
  for (const auto& shape : simulated::quiet_shapes()) {
    if (shape.name != "lognormal" && shape.name != "heavy tails" && shape.name != "skewed") continue;
    const int wrong = wrong_of_families(shape, 5);
    EXPECT_LE(wrong, families * 5 / 100) << shape.name;
    corrected += wrong;
    plain += wrong_of_families(shape, 1);
  }
  EXPECT_LT(corrected, plain) << "without the correction there are more";
}

using Estimator = std::optional<Ratio> (*)(std::span<const double>, std::span<const double>, std::uint64_t,
                                           std::size_t);

void expect_true_intervals(const std::vector<simulated::Shape>& shapes, Estimator estimate) {
  double all = 0;
  for (const auto& shape : shapes) {
    int inside95 = 0;
    int inside99 = 0;
    for (int trial = 0; trial < 2 * trials; ++trial) {
      const auto times = simulate(shape, rounds, 1.2, static_cast<std::uint64_t>(trial) + 1000);
      const auto ratio = estimate(times.first, times.second, 7, 1);
      ASSERT_TRUE(ratio);
      inside95 += ratio->at95.low <= 1.2 && 1.2 <= ratio->at95.high ? 1 : 0;
      inside99 += ratio->at99.low <= 1.2 && 1.2 <= ratio->at99.high ? 1 : 0;
    }
    // Of 2,000 trials .947 to .997 and .974 to .986 were inside. The limits are three standard errors of the count
    // below the worst of these.
    EXPECT_GE(inside95, 2 * trials * 0.947 - 10) << shape.name;
    EXPECT_GE(inside99, 2 * trials * 0.974 - 7) << shape.name;
    all += inside95;
  }
  // Plain percentiles contain it in 94 of 100.
  EXPECT_GE(all, 2 * trials * 0.95 * static_cast<double>(shapes.size()));
}

std::vector<simulated::Shape> both(std::vector<simulated::Shape> some, const std::vector<simulated::Shape>& others) {
  some.insert(some.end(), others.begin(), others.end());
  return some;
}

TEST(Bars, TheIntervalContainsTheTruthAsOftenAsItSays) {
  expect_true_intervals(both(simulated::quiet_shapes(), simulated::busy_shapes()), paired_ratio);
}

TEST(FastestRatio, ContainsTheTruthAsOftenAsItSays) {
  expect_true_intervals(both(simulated::quiet_shapes(), simulated::thieving_shapes()), fastest_ratio);
}

TEST(FastestRatio, IsThatOfTheFastestQuarters) {
  const std::vector<double> first = {1, 1, 9, 9, 9, 9, 9, 9};
  const std::vector<double> second = {7, 7, 7, 7, 7, 7, 3, 3};
  const auto ratio = fastest_ratio(first, second, 1);
  ASSERT_TRUE(ratio);
  EXPECT_DOUBLE_EQ(ratio->value, 3);
  EXPECT_FALSE(fastest_ratio({first.data(), 7}, {second.data(), 7}, 1)) << "too few to choose from";
  const std::vector<double> zero(8, 0.0);
  EXPECT_FALSE(fastest_ratio(first, zero, 1));
}

TEST(RankSum, CountsWhichTakesLonger) {
  EXPECT_DOUBLE_EQ(rank_sum(std::vector{1.0, 2.0}, std::vector{1.0, 2.0}), 0);
  // All nine of three by three: 4.5 above the half, of a deviation of the root of 9 * 7 / 12.
  EXPECT_NEAR(rank_sum(std::vector{1.0, 2.0, 3.0}, std::vector{4.0, 5.0, 6.0}), 4.5 / std::sqrt(5.25), 1e-12);
  EXPECT_NEAR(rank_sum(std::vector{4.0, 5.0, 6.0}, std::vector{1.0, 2.0, 3.0}), -4.5 / std::sqrt(5.25), 1e-12);
  EXPECT_DOUBLE_EQ(rank_sum({}, std::vector{1.0}), 0);
}

TEST(PairedRatio, IsExactWithoutNoise) {
  const std::vector<double> first(15, 2.0);
  const std::vector<double> second(15, 3.0);
  const auto ratio = paired_ratio(first, second, 1);
  ASSERT_TRUE(ratio);
  EXPECT_DOUBLE_EQ(ratio->value, 1.5);
  EXPECT_DOUBLE_EQ(ratio->at99.low, 1.5);
  EXPECT_DOUBLE_EQ(ratio->at99.high, 1.5);
}

TEST(PairedRatio, NeedsTwoPairsAndFiguresAboveZero) {
  const std::vector<double> one = {1};
  const std::vector<double> zero = {1, 0, 1};
  const std::vector<double> fine = {1, 1, 1};
  EXPECT_FALSE(paired_ratio(one, one, 1));
  EXPECT_FALSE(paired_ratio(fine, zero, 1));
  EXPECT_FALSE(paired_ratio({}, {}, 1));
  EXPECT_TRUE(paired_ratio(fine, fine, 1));
}

TEST(PairedRatio, TwoOutliersDoNotMoveIt) {
  std::vector<double> first(15, 1.0);
  std::vector<double> second(15, 1.05);
  for (std::size_t i = 0; i < 15; ++i) first[i] += 0.001 * static_cast<double>(i % 4);
  second[3] = 9;
  first[11] = 4;
  const auto ratio = paired_ratio(first, second, 1);
  ASSERT_TRUE(ratio);
  EXPECT_NEAR(ratio->value, 1.05, 0.005);
  EXPECT_EQ(judge(ratio, 15, {}).finding, Finding::first_wins);
}

std::vector<double> some_times(std::size_t size) {
  return *rc::gen::container<std::vector<double>>(
      size, rc::gen::map(rc::gen::inRange(1, 1000000), [](int n) { return n * 1e-3; }));
}

TEST(PairedRatio, TurnsRoundWhenThePartsAreSwapped) {
  EXPECT_TRUE(rc::check([] {
    const auto size = *rc::gen::inRange<std::size_t>(2, 20);
    const auto a = some_times(size);
    const auto b = some_times(size);
    const auto forth = paired_ratio(a, b, 3);
    const auto back = paired_ratio(b, a, 3);
    RC_ASSERT(forth && back);
    const auto inverse = [](double x, double y) { return std::abs(std::log(x) + std::log(y)) < 1e-6; };
    RC_ASSERT(inverse(forth->value, back->value));
    RC_ASSERT(inverse(forth->at95.low, back->at95.high));
    RC_ASSERT(inverse(forth->at95.high, back->at95.low));
    RC_ASSERT(inverse(forth->at99.high, back->at99.low));
  }));
}

TEST(PairedRatio, DoesNotKnowUnitsAndKeepsItsIntervalsInOrder) {
  EXPECT_TRUE(rc::check([] {
    const auto size = *rc::gen::inRange<std::size_t>(2, 20);
    const auto a = some_times(size);
    const auto b = some_times(size);
    auto scaled = b;
    for (double& value : scaled) value *= 1000;
    const auto seconds = paired_ratio(a, b, 3);
    const auto milliseconds = paired_ratio(a, scaled, 3);
    RC_ASSERT(std::abs(milliseconds->value / seconds->value - 1000) < 1e-6);
    for (const auto& interval : {seconds->at95, seconds->at99}) {
      RC_ASSERT(interval.low <= seconds->value * (1 + 1e-12) && seconds->value <= interval.high * (1 + 1e-12));
    }
  }));
}

TEST(TrimmedMean, LeavesTheExtremesOut) {
  std::vector<double> values = {100, 1, 2, 3, -50};
  const auto mean = trimmed_mean(values, 0.2);
  EXPECT_DOUBLE_EQ(mean.mean, 2);
  EXPECT_EQ(mean.kept, 3U);
  std::vector<double> all = {1, 2, 3, 6};
  EXPECT_DOUBLE_EQ(trimmed_mean(all, 0).mean, 3);
  EXPECT_NEAR(trimmed_mean(all, 0).error, std::sqrt(14.0 / 3 / 4), 1e-12) << "the usual standard error of a mean";
}

TEST(Quartiles, LieAQuarterFromTheEnds) {
  const auto box = quartiles({4, 1, 3, 2, 5});
  EXPECT_DOUBLE_EQ(box.low, 2);
  EXPECT_DOUBLE_EQ(box.high, 4);
  EXPECT_DOUBLE_EQ(charm::base::median({4, 1, 3, 2}), 2.5);
}

Ratio ratio_of(double value, double low, double high) { return {value, {low, high}, {low * 0.999, high * 1.001}}; }

TEST(Verdict, SpeaksInPercentOfTheFirst) {
  const auto slower = std::optional(ratio_of(1.048, 1.039, 1.056));
  EXPECT_EQ(sentence(judge(slower, 15, {}), slower, "A", "B"), "B is 4.8 % slower (95 %: 3.9–5.6 %)");
  const auto faster = std::optional(ratio_of(0.9, 0.88, 0.92));
  EXPECT_EQ(sentence(judge(faster, 15, {}), faster, "A", "B"), "B is 10.0 % faster (95 %: 8.0–12.0 %)");
  const auto much = std::optional(ratio_of(2.31, 2.2, 2.4));
  EXPECT_EQ(sentence(judge(much, 15, {}), much, "A", "B"), "B takes 2.31 times as long as A (95 %: 2.2–2.4)");
  const auto little = std::optional(ratio_of(0.25, 0.2, 0.5));
  EXPECT_EQ(sentence(judge(little, 15, {}), little, "A", "B"), "A takes 4 times as long as B (95 %: 2–5)");
}

TEST(Verdict, SaysHowLargeADifferenceMayStillBe) {
  const auto same = std::optional(ratio_of(1.002, 0.994, 1.009));
  EXPECT_EQ(sentence(judge(same, 15, {}), same, "A", "B"), "no difference larger than 0.90 % (95 %)");
  const auto wide = std::optional(ratio_of(1.02, 0.97, 1.09));
  const auto verdict = judge(wide, 15, {});
  EXPECT_EQ(verdict.finding, Finding::unknown);
  EXPECT_EQ(sentence(verdict, wide, "A", "B"),
            "cannot tell: too noisy; B may be anything from 3.0 % faster to 9.0 % slower (95 %); about 87 runs would "
            "tell");
}

TEST(Verdict, OfAlmostNoRunsNoNumbersAreSaid) {
  const auto any = std::optional(ratio_of(0.78, 0.0000001, 25401307117.2));
  const std::string said = sentence(judge(any, 2, {}), any, "A", "B");
  EXPECT_TRUE(said.starts_with("cannot tell: too noisy; nothing is known of B from so few runs")) << said;
  EXPECT_EQ(said.find("2540"), std::string::npos) << said;
}

TEST(Verdict, ADifferenceBelowTheThresholdDoesNotCount) {
  const auto small = ratio_of(1.03, 1.025, 1.035);
  EXPECT_EQ(judge(small, 15, {}).finding, Finding::first_wins);
  EXPECT_EQ(judge(small, 15, {.threshold = 0.04, .coarsest = 0.05}).finding, Finding::same);
  const Ratio tiny = ratio_of(1.008, 1.003, 1.013);
  EXPECT_EQ(judge(tiny, 15, {}).finding, Finding::same) << "it is there, but may not reach the threshold";
}

TEST(Verdict, IsADifferenceOnlyWhereNeitherIntervalHasOne) {
  const Interval above = {1.1, 1.3};
  const Interval below = {0.75, 0.9};
  const Interval around = {0.8, 1.4};
  const auto finding = [](double value, const Interval& at95, const Interval& at99) {
    return judge(Ratio{value, at95, at99}, 15, {}).finding;
  };
  EXPECT_EQ(finding(1.2, above, above), Finding::first_wins);
  EXPECT_EQ(finding(1.2, above, around), Finding::unknown);
  EXPECT_EQ(finding(1.2, around, above), Finding::unknown);
  EXPECT_EQ(finding(0.85, below, below), Finding::second_wins);
  EXPECT_EQ(finding(0.85, below, around), Finding::unknown);
  EXPECT_EQ(finding(0.85, around, below), Finding::unknown);
}

TEST(Verdict, MayBeAboutTheFastestRunsWhereAllTogetherCannotTell) {
  const Ratio wide = ratio_of(1.04, 0.93, 1.15);
  const auto of = [](const Ratio& all, const Ratio& fastest, double ranks = 0) {
    return judge(Evidence{all, fastest, ranks}, 15, {});
  };
  const Ratio slower = ratio_of(1.05, 1.03, 1.07);
  const Verdict told = of(wide, slower);
  EXPECT_EQ(told.finding, Finding::first_wins);
  EXPECT_TRUE(told.by_fastest);
  EXPECT_EQ(
      sentence(told, slower, "A", "B"),
      "B is 5.0 % slower in the fastest quarter of the runs (95 %: 3.0–7.0 %); all of them vary too much to tell");
  const Ratio equal = ratio_of(1.0, 0.99, 1.02);
  EXPECT_EQ(of(wide, equal).finding, Finding::same);
  EXPECT_EQ(sentence(of(wide, equal), equal, "A", "B"),
            "no difference larger than 2.0 % in the fastest quarter of the runs (95 %); all of them vary too much to "
            "tell");
  EXPECT_EQ(of(ratio_of(1.09, 0.93, 1.3), equal).finding, Finding::unknown) << "all together point to one";
  EXPECT_EQ(of(wide, ratio_of(1.3, 1.2, 1.4)).finding, Finding::unknown) << "all together exclude it";
  EXPECT_EQ(of(wide, equal, 2).finding, Finding::unknown) << "one takes longer too often";
  EXPECT_EQ(of(wide, slower, 2).finding, Finding::first_wins);
  EXPECT_EQ(of(wide, wide).finding, Finding::unknown);
  EXPECT_FALSE(of(wide, wide).by_fastest);
  EXPECT_FALSE(of(slower, equal).by_fastest) << "who can tell by all does";
}

TEST(Verdict, OfTooFewRunsIsNone) {
  const Verdict verdict = judge(std::nullopt, 1, {});
  EXPECT_EQ(verdict.finding, Finding::unknown);
  EXPECT_TRUE(sentence(verdict, std::nullopt, "A", "B").starts_with("cannot tell"));
}

}  // namespace
