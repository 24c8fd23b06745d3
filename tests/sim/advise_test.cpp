// Advice follows OLAP on chiplets §4.4-4.5: together what fits one chiplet's cache and shares, apart what does not fit.
#include "tools/sim/advise.hpp"

#include <charm/error.hpp>

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

TEST(Advice, RefusesQuestionsThatMakeNoSense) {
  EXPECT_THROW(advise(model("7713"), {8, 0, 0, 0, 0}), charm::Error);
  EXPECT_THROW(advise(model("7713"), {8, 1, 2, 0, 0}), charm::Error);
  EXPECT_THROW(advise(model("7713"), {65, 1, 0, 0, 0}), charm::Error);
}

}  // namespace
