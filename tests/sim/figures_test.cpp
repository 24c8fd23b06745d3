// What the papers say and the model must say as well: every hard point of every figure holds.
#include <charm/error.hpp>

#include <gtest/gtest.h>

#include "tools/sim/reproduce.hpp"

using namespace charm::sim;

namespace {

class Figures : public testing::TestWithParam<std::string> {};

TEST_P(Figures, HoldInEveryHardPoint) {
  const Reproduction r = reproduce(GetParam());
  int hard = 0;
  for (const Point& p : r.points) {
    EXPECT_FALSE(p.source.empty());
    if (!p.hard) continue;
    ++hard;
    EXPECT_TRUE(p.holds) << p.series << " at " << p.x << ": " << p.claim << "; paper " << p.paper << ", model "
                         << p.model;
  }
  EXPECT_GT(hard, 0);
  EXPECT_FALSE(r.not_captured.empty());
}

INSTANTIATE_TEST_SUITE_P(All, Figures,
                         testing::Values("abss:fig13", "charm:fig5", "charm:fig7", "charm:fig9", "charm:fig10",
                                         "charm:fig14", "charm:tab1", "charm:tab2", "olap:fig5", "olap:fig10",
                                         "tapmm:fig8", "tapmm:fig10", "tapmm:fig11", "tapmm:sharing"),
                         [](const auto& info) {
                           std::string name = info.param;
                           name[name.find(':')] = '_';
                           return name;
                         });

TEST(Figures, ThatAreUnknownAreRefused) { EXPECT_THROW(reproduce("charm:fig99"), charm::Error); }

}  // namespace
