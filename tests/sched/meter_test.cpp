// What a worker measures of itself.
#include "sched/control/meter.hpp"

#include <gtest/gtest.h>

using charm::sched::Cadence;
using charm::sched::KindCosts;
using charm::sched::Meter;

namespace {

const char loop_body = 0, task_body = 0;

TEST(Meter, CountsTheTimeOfSpellsThatAreOverAndTellsSinceWhenOneRuns) {
  KindCosts costs;
  Meter meter(costs);
  meter.begin_work(10);
  EXPECT_EQ(meter.running_since(), 10);
  meter.end_work(12);
  EXPECT_EQ(meter.busy(), 2);
  EXPECT_EQ(meter.running_since(), 0);
  meter.begin_work(20);
  meter.begin_work(21);
  meter.end_work(25);
  EXPECT_EQ(meter.busy(), 7);
}

TEST(Meter, WorkIsCountedInTheTimeThatItsKindTookWhenItWasMetFirst) {
  KindCosts costs;
  Meter meter(costs);
  double now = 1;
  meter.begin_work(now);
  for (int i = 0; i < KindCosts::enough_samples; ++i) {
    meter.count(&loop_body, 1000);
    meter.settle(now += 0.001);  // a microsecond each
  }
  const double before = meter.work();
  meter.count(&loop_body, 1000);
  meter.settle(now += 0.004);  // slower now, but it is the same work
  EXPECT_NEAR(meter.work() - before, 0.001, 1e-9);
}

TEST(Meter, KindsOfDifferentCostAreWeighedAgainstEachOther) {
  KindCosts costs;
  Meter meter(costs);
  double now = 1;
  meter.begin_work(now);
  for (int i = 0; i < KindCosts::enough_samples; ++i) {
    meter.count(&loop_body, 1000);
    meter.settle(now += 0.001);
    meter.count(&task_body, 1);
    meter.settle(now += 0.010);
  }
  const double before = meter.work();
  meter.count(&loop_body, 3000);
  meter.count(&task_body, 2);
  meter.settle(now + 1);
  EXPECT_NEAR(meter.work() - before, 0.003 + 0.020, 1e-9);
}

TEST(Meter, KindsThatAlwaysComeMixedGetTheMeanAfterAWhile) {
  KindCosts costs;
  Meter meter(costs);
  double now = 1;
  meter.begin_work(now);
  for (int i = 0; i < 100; ++i) {
    meter.count(&loop_body, 1);
    meter.count(&task_body, 1);
    meter.settle(now += 0.002);
  }
  EXPECT_GT(meter.work(), 0);
}

TEST(KindCosts, ATableThatIsFullTakesNoMoreAndBreaksNothing) {
  KindCosts costs;
  static char kinds[4 * KindCosts::most * 16];
  std::size_t found = 0;
  for (std::size_t k = 0; k < 4 * KindCosts::most; ++k)
    found += costs.find(&kinds[16 * k]) != KindCosts::none ? 1U : 0U;
  EXPECT_EQ(found, KindCosts::most);
  EXPECT_NE(costs.find(&kinds[0]), KindCosts::none);
  Meter meter(costs);
  meter.begin_work(1);
  for (int round = 1; round <= 2; ++round) {
    for (std::size_t k = 0; k < 4 * KindCosts::most; ++k) meter.count(&kinds[16 * k], 1);
    meter.settle(1 + round);
    for (std::size_t at = 0; at < KindCosts::most; ++at) EXPECT_EQ(meter.counted(at), round) << at;
  }
}

TEST(Cadence, LooksAtTheClockRarelyAtShortBoundariesAndAlwaysAtLongOnes) {
  Cadence cadence;
  double now = 1;
  int every = 1;
  for (int i = 0; i < 20; ++i) every = cadence.next(now += 1e-7 * every);
  EXPECT_EQ(every, 64);
  every = cadence.next(now += 0.1 * every);
  EXPECT_EQ(every, 1) << "tasks have turned long";
  for (int i = 0; i < 20; ++i) EXPECT_EQ(every = cadence.next(now += 0.1 * every), 1);
}

}  // namespace
