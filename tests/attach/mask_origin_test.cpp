// Whose mask a new thread has: ours, by way of the thread that created it, or one that the program chose.
#include "tools/attach/mask_origin.hpp"

#include <gtest/gtest.h>

namespace {

using charm::CpuSet;
using charm::attach::MaskOrigin;

TEST(MaskOrigin, AMaskThatARelativeHasFromUsIsOurs) {
  MaskOrigin origin;
  origin.has(1, 1, {0, 1, 2, 3}, false, 0);
  origin.has(1, 2, {0}, false, 0);
  EXPECT_TRUE(origin.ours(1, 1, {0}));
  EXPECT_TRUE(origin.ours(5, 1, {0})) << "a child of the process";
  EXPECT_TRUE(origin.ours(5, 0, {0})) << "of some process";
  EXPECT_FALSE(origin.ours(1, 1, {1}));
  EXPECT_FALSE(origin.ours(5, 1, {1}));
  EXPECT_FALSE(origin.ours(5, 7, {0})) << "no child of this process";
}

TEST(MaskOrigin, AMaskThatWasInForceAMomentAgoIsOurs) {
  MaskOrigin origin;
  origin.has(1, 1, {0}, false, 0);
  origin.has(1, 1, {4}, false, 10);
  origin.prune(10.5);
  EXPECT_TRUE(origin.ours(1, 1, {0}));
  origin.prune(10.1 + MaskOrigin::moment_s);
  EXPECT_FALSE(origin.ours(1, 1, {0}));
  EXPECT_TRUE(origin.ours(1, 1, {4}));
  origin.gone(1, 1, 20);
  origin.prune(20.5);
  EXPECT_TRUE(origin.ours(2, 1, {4})) << "its creator has ended";
  origin.prune(20.1 + MaskOrigin::moment_s);
  EXPECT_FALSE(origin.ours(2, 1, {4}));
}

TEST(MaskOrigin, WhereARelativeChoseTheSameTheMaskIsChosen) {
  MaskOrigin origin;
  origin.has(1, 1, {0}, false, 0);
  origin.has(1, 2, {0}, true, 0);
  EXPECT_FALSE(origin.ours(1, 1, {0}));
  origin.gone(1, 2, 1);
  EXPECT_TRUE(origin.ours(1, 1, {0}));
  origin.has(1, 1, {3}, true, 2);
  EXPECT_FALSE(origin.ours(1, 1, {3}));
}

}  // namespace
