#include "sched/run/bound_limits.hpp"

#include "assertion.hpp"

namespace {

using charm::sched::BoundLimits;
using charm::sched::LeavesJobs;
using charm::sched::LeavingWorkers;

TEST(BoundLimits, AWorkerCountsOnceHoweverOftenItAnnouncesThatItLeavesJobs) {
  LeavingWorkers all;
  LeavesJobs one;
  LeavesJobs other;
  EXPECT_FALSE(all.any());
  one.begin(all);
  one.begin(all);
  EXPECT_TRUE(one.now());
  EXPECT_TRUE(all.any());
  EXPECT_FALSE(all.all(2));
  other.begin(all);
  EXPECT_TRUE(all.all(2));
  one.end(all);
  one.end(all);
  EXPECT_FALSE(all.all(2));
  EXPECT_TRUE(all.any());
  other.end(all);
  EXPECT_FALSE(all.any());
}

TEST(BoundLimits, WaitsAreCounted) {
  BoundLimits limits;
  EXPECT_FALSE(limits.any());
  limits.begin_wait();
  limits.begin_wait();
  limits.end_wait();
  EXPECT_TRUE(limits.any());
  limits.end_wait();
  EXPECT_FALSE(limits.any());
}

TEST(BoundLimitsDeathTest, WhatEndsHasBegun) {
  NEEDS_ASSERTIONS();
  BoundLimits limits;
  LeavingWorkers all;
  EXPECT_ASSERTION(limits.end_wait(), "a bound task ends its wait on the worker where it has begun");
  EXPECT_ASSERTION(all.remove(), "only a worker that has left jobs to others takes them again");
  all.add();
  all.add();
  EXPECT_ASSERTION(static_cast<void>(all.all(1)), "a worker is counted once as leaving jobs");
}

}  // namespace
