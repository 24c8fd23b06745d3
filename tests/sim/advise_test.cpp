// Advice follows OLAP on chiplets §4.4-4.5: together what fits one chiplet's cache and shares, apart what does not fit.
#include "tools/sim/advise.hpp"

#include <charm/error.hpp>

#include <cmath>

#include <gtest/gtest.h>

using namespace charm::sim;

namespace {

TEST(Advice, KeepsTogetherWhatFitsAndIsShared) {
  const Advice a = advise(model("7713"), {8, 16, 0.5, 0.2, 0});
  EXPECT_EQ(a.placement, "local");
  EXPECT_EQ(a.chiplets, 1);
  EXPECT_FALSE(a.reasons.empty());
}

TEST(Advice, SpreadsWhatFitsOnlyAllCachesTogether) {
  const Advice a = advise(model("7713"), {8, 192, 0, 0.2, 0});
  EXPECT_EQ(a.placement, "mixed");
  EXPECT_EQ(a.chiplets, 8);
}

TEST(Advice, GivesEachChipletAnInstanceWhereAllWriteWhatAllShare) {
  const Advice a = advise(model("2x7713"), {128, 64, 0.5, 0.3, 0});
  EXPECT_TRUE(a.instances == "chiplet" || a.instances == "core") << a.instances;
}

TEST(Advice, DoesNotDivideWhatSharesNothing) {
  EXPECT_EQ(advise(model("graviton3"), {16, 64, 0, 0.1, 0}).instances, "machine");
}

TEST(Advice, LeavesAloneWhatAsksForLittle) {
  const Advice a = advise(model("7713"), {8, 192, 0, 0.1, 0.1});
  EXPECT_EQ(a.placement, "local") << "nearly no bandwidth is asked for";
}

/// A few cores use up the links of their chiplets to memory; what stays in the caches gains by every core.
TEST(Advice, SaysHowManyWorkersAreEnough) {
  const Advice streaming = advise(model("2x7713"), {0, 4000, 0, 0.1, 0});
  EXPECT_EQ(streaming.workers, 128);
  EXPECT_GE(streaming.enough_workers, 16);  // a worker for each chiplet at least
  EXPECT_LE(streaming.enough_workers, 64);
  EXPECT_NE(streaming.reasons.back().find("memory, to which 100 %"), std::string::npos) << streaming.reasons.back();
  const Advice cached = advise(model("7713"), {0, 16, 0, 0.1, 0});
  EXPECT_EQ(cached.enough_workers, cached.workers);
  ASSERT_EQ(cached.widths.size(), 7U);
  for (std::size_t i = 0; i < cached.widths.size(); ++i) {
    EXPECT_EQ(cached.widths[i].count, 1 << i);
    EXPECT_NEAR(cached.widths[i].throughput, std::pow(2, static_cast<double>(i) - 6), 0.03);
  }
  EXPECT_EQ(advise(model("7713"), {6, 16, 0, 0.1, 0}).widths.back().count, 6);
  EXPECT_EQ(advise(model("7713"), {1, 4000, 0, 0.1, 0}).enough_workers, 1);
}

TEST(Advice, RefusesQuestionsThatMakeNoSense) {
  EXPECT_THROW(advise(model("7713"), {8, 0, 0, 0, 0}), charm::Error);
  EXPECT_THROW(advise(model("7713"), {8, 1, 2, 0, 0}), charm::Error);
  EXPECT_THROW(advise(model("7713"), {65, 1, 0, 0, 0}), charm::Error);
}

}  // namespace
