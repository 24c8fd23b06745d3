#include "tools/deploy/backoff.hpp"

#include <gtest/gtest.h>

namespace {

using charm::deploy::Backoff;
using charm::deploy::BackoffRule;

TEST(Backoff, DoublesTheDelayUpToTheLongest) {
  Backoff backoff({1, 5, 30, 0});
  EXPECT_EQ(backoff.failed_after(0.1), 1);
  EXPECT_EQ(backoff.failed_after(0.1), 2);
  EXPECT_EQ(backoff.failed_after(29), 4);
  EXPECT_EQ(backoff.failed_after(0.1), 5);
  EXPECT_EQ(backoff.failed_after(0.1), 5);
}

TEST(Backoff, StartsOverForAWorkerThatHasRunForLong) {
  Backoff backoff({1, 60, 30, 3});
  backoff.failed_after(0);
  backoff.failed_after(0);
  EXPECT_EQ(backoff.failed_after(30), 1);
}

TEST(Backoff, GivesUpAfterSoManyFailuresInARow) {
  Backoff backoff({1, 60, 30, 3});
  EXPECT_GE(backoff.failed_after(0), 0);
  EXPECT_GE(backoff.failed_after(0), 0);
  EXPECT_LT(backoff.failed_after(0), 0);
}

}  // namespace
