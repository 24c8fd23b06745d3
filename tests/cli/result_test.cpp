#include "tools/cli/bench/result.hpp"

#include <rapidcheck.h>

#include <gtest/gtest.h>

#include "cli/rows.hpp"
#include "tools/base/quantile.hpp"

using charm::cli::Result;
using charm::cli::test::row;

namespace {

TEST(Median, OfAnOddNumberIsTheMiddleAndOfAnEvenNumberTheMeanOfTwo) {
  EXPECT_DOUBLE_EQ(charm::base::median({3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(charm::base::median({4, 1, 3, 2}), 2.5);
  EXPECT_DOUBLE_EQ(charm::base::median({7}), 7);
  EXPECT_DOUBLE_EQ(charm::base::median({}), 0);
}

TEST(Median, SplitsTheValuesInHalf) {
  EXPECT_TRUE(rc::check("at most half of the values lie on either side", [](const std::vector<int>& ints) {
    const std::vector<double> values(ints.begin(), ints.end());
    RC_PRE(!values.empty());
    const double m = charm::base::median(values);
    std::size_t below = 0;
    std::size_t above = 0;
    for (const double v : values) {
      below += v < m ? 1 : 0;
      above += v > m ? 1 : 0;
    }
    RC_ASSERT(below * 2 <= values.size());
    RC_ASSERT(above * 2 <= values.size());
  }));
}

TEST(Result, RatesAreWorkOverTimeInTheUnit) {
  Result r = row("bfs", "charm", "local", {0.5, 0.25, 1.0});
  EXPECT_EQ(r.rates(), (std::vector<double>{1, 2, 4}));
  EXPECT_DOUBLE_EQ(r.rate(), 2);
  r.unit = "GUP/s";
  r.work.assign(3, 1e9);
  EXPECT_DOUBLE_EQ(r.rate(), 2);
}

TEST(Result, EveryTrialCountsItsOwnWork) {
  Result r = row("bfs", "charm", "local", {1, 1, 1});
  r.work = {1e6, 3e6, 8e6};
  EXPECT_DOUBLE_EQ(r.rate(), 3);
}

TEST(Result, SpreadIsThePartOfTheMedianBetweenFastestAndSlowest) {
  EXPECT_DOUBLE_EQ(row("bfs", "charm", "local", {1.0, 1.1, 0.9}).spread(), 1.1 - 0.9);
  EXPECT_DOUBLE_EQ(row("bfs", "charm", "local", {2}).spread(), 0);
}

TEST(Result, WithoutSamplesHasNoFiguresAndDoesNotFail) {
  const Result r = row("bfs", "charm", "local", {});
  EXPECT_EQ(r.median_s(), 0);
  EXPECT_EQ(r.min_s(), 0);
  EXPECT_EQ(r.max_s(), 0);
  EXPECT_EQ(r.spread(), 0);
  EXPECT_EQ(r.rate(), 0);
}

TEST(BenchResult, IsVerifiedOnlyIfEveryRowIs) {
  auto o = charm::cli::test::outcome({row("bfs", "charm", "local", {1}), row("bfs", "tbb", "none", {1})});
  EXPECT_TRUE(o.all_verified());
  o.results[1].verified = false;
  EXPECT_FALSE(o.all_verified());
}

}  // namespace
