// The laws of scaling: what was put in comes out.
#include "tools/width/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace {

using namespace charm::width;

std::vector<Point> points_of(const Law& law, const std::vector<int>& widths, double noise = 0, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<double> spread(0, noise);
  std::vector<Point> points;
  for (const int n : widths) points.push_back({n, law.seconds(n) * (1 + spread(random))});
  return points;
}

const std::vector<int> usual{1, 2, 4, 8, 16, 32, 64};

TEST(Scaling, FindsTheLawThatMadeTheTimes) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (int round = 0; round < 200; ++round) {
    const Law law{std::exp(uniform(random) * 10 - 5), uniform(random) * uniform(random),
                  std::pow(10, -5 * uniform(random) - 1), 0};
    const auto laws = fit(points_of(law, usual));
    ASSERT_TRUE(laws);
    EXPECT_NEAR(laws->universal.one_s / law.one_s, 1, 1e-6);
    EXPECT_NEAR(laws->universal.contention, law.contention, 1e-6);
    EXPECT_NEAR(laws->universal.coherence, law.coherence, 1e-7);
    EXPECT_NEAR(laws->universal.error, 0, 1e-6);
    EXPECT_GT(laws->amdahl.error, 10 * laws->universal.error);
    ASSERT_TRUE(laws->universal.peak());
    // Its peak is where the time is least.
    const double peak = *laws->universal.peak();
    EXPECT_LE(law.seconds(peak), law.seconds(peak * 1.01) * (1 + 1e-9));
    EXPECT_LE(law.seconds(peak), law.seconds(std::max(1.0, peak / 1.01)) * (1 + 1e-9));
  }
}

TEST(Scaling, AParallelProgramHasNoPeakAndNoSerialPart) {
  const auto laws = fit(points_of({10, 0, 0, 0}, usual));
  ASSERT_TRUE(laws);
  EXPECT_NEAR(laws->amdahl.contention, 0, 1e-9);
  EXPECT_NEAR(laws->universal.speedup(64), 64, 1e-3);
  EXPECT_GT(laws->universal.peak().value_or(1e9), 1e4);
  const auto amdahl = fit(points_of({10, .05, 0, 0}, usual));
  EXPECT_NEAR(amdahl->amdahl.contention, .05, 1e-9);
  EXPECT_NEAR(amdahl->amdahl.speedup(64), 64 / (1 + .05 * 63), 1e-6);
}

TEST(Scaling, NothingIsBelowZeroWhateverTheTimesAre) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(.01, 10);
  for (int round = 0; round < 500; ++round) {
    std::vector<Point> points;
    for (const int n : usual) points.push_back({n, uniform(random)});
    const auto laws = fit(points);
    ASSERT_TRUE(laws);
    for (const Law& law : {laws->amdahl, laws->universal}) {
      EXPECT_GT(law.one_s, 0);
      EXPECT_GE(law.contention, 0);
      EXPECT_GE(law.coherence, 0);
    }
  }
  // A program that is more than n times as fast with n threads: its data fit the caches then.
  const auto super = fit({{1, 10}, {2, 4}, {4, 1.8}, {8, .8}});
  ASSERT_TRUE(super);
  EXPECT_EQ(super->amdahl.contention, 0);
}

TEST(Scaling, NoiseOfAFewPercentMovesItLittle) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const auto laws = fit(points_of({10, .03, .001, 0}, usual, .02, seed));
    ASSERT_TRUE(laws);
    EXPECT_NEAR(*laws->universal.peak(), std::sqrt(.97 / .001), 12) << seed;
  }
}

TEST(Scaling, NeedsThreeNumbersOfThreads) {
  EXPECT_FALSE(fit({}));
  EXPECT_FALSE(fit({{1, 1}, {2, 1}, {2, 1.1}, {1, .9}}));
}

}  // namespace
