// Fills of other threads and of cpus, by attached counters.
#include "counters/fill_meter.hpp"

#include <cerrno>
#include <memory>

#include <gtest/gtest.h>

#include "counters/fake_attached.hpp"

namespace charm::counters {
namespace {

TEST(FillMeter, CountsEachThreadSinceItWasMet) {
  auto fake = std::make_shared<charm::test::FakeAttached>();
  FillMeter meter(
      fake, charm::test::attached_plan({{FillSource::other_chiplet, false}, {FillSource::local_dram, false}}), {});
  auto readings = meter.of_threads({7, 8}, 1);
  EXPECT_EQ(readings.size(), 2U);
  EXPECT_EQ(readings.at(7).fill(FillSource::other_chiplet), 0U);
  fake->values[0] = {100, 50, 50};
  fake->values[3] = {10, 40, 20};  // counted for half of the time
  readings = meter.of_threads({7, 8}, 2);
  EXPECT_EQ(readings.at(7).fill(FillSource::other_chiplet), 100U);
  EXPECT_EQ(readings.at(8).fill(FillSource::local_dram), 20U);
  EXPECT_DOUBLE_EQ(readings.at(8).counted_share, 0.5);
  EXPECT_TRUE(readings.at(8).has.fills.has(FillSource::local_dram));
  fake->values[3] = {25, 80, 50};  // of 40 now 30, three quarters
  readings = meter.of_threads({7, 8}, 3);
  EXPECT_EQ(readings.at(8).fill(FillSource::local_dram), 40U);
  EXPECT_DOUBLE_EQ(readings.at(8).counted_share, 0.75);
  readings = meter.of_threads({8}, 4);
  EXPECT_EQ(readings.size(), 1U);
  EXPECT_EQ(fake->open_now, 2) << "those of the thread that ended are closed";
  EXPECT_EQ(fake->opened[0].tid, 7);
  EXPECT_EQ(fake->opened[0].cpu, -1);
}

TEST(FillMeter, ADifferenceOfEventsNeverGoesDown) {
  auto fake = std::make_shared<charm::test::FakeAttached>();
  FillMeter meter(fake, charm::test::attached_plan({{FillSource::own_chiplet, false}, {FillSource::own_chiplet, true}}),
                  {});
  meter.of_cpus({0}, 1);
  EXPECT_EQ(fake->opened[0].tid, -1);
  EXPECT_EQ(fake->opened[0].cpu, 0);
  fake->values[0] = {100, 10, 10};
  fake->values[1] = {30, 10, 10};
  EXPECT_EQ(meter.of_cpus({0}, 2).at(0).fill(FillSource::own_chiplet), 70U);
  fake->values[1] = {90, 20, 20};
  EXPECT_EQ(meter.of_cpus({0}, 3).at(0).fill(FillSource::own_chiplet), 70U);
}

TEST(FillMeter, CountsInstructionsAndCyclesBesideFills) {
  auto fake = std::make_shared<charm::test::FakeAttached>();
  EventPlan plan = charm::test::attached_plan({{FillSource::local_dram, false}, {}, {}});
  plan.groups.back()[1].role = EventRole::instructions;
  plan.groups.back()[2].role = EventRole::cycles;
  FillMeter meter(fake, plan, {});
  meter.of_threads({7}, 1);
  fake->values[0] = {5, 10, 10};
  fake->values[1] = {600, 10, 10};
  fake->values[2] = {900, 10, 10};
  const Reading reading = meter.of_threads({7}, 2).at(7);
  EXPECT_EQ(reading.fill(FillSource::local_dram), 5U);
  EXPECT_EQ(reading.instructions, 600U);
  EXPECT_EQ(reading.cycles, 900U);
  EXPECT_TRUE(reading.has.instructions && reading.has.cycles);
}

TEST(FillMeter, SaysWhyNothingIsCountedAndAsksOnce) {
  auto fake = std::make_shared<charm::test::FakeAttached>();
  fake->refuse = ENOENT;
  os::PerfAccess access;
  access.guest = true;
  FillMeter meter(fake, charm::test::attached_plan({{FillSource::other_chiplet, false}}), access);
  EXPECT_TRUE(meter.of_threads({7}, 1).empty());
  EXPECT_NE(meter.why_not().find("virtual machine"), std::string::npos);
  fake->refuse = 0;
  EXPECT_TRUE(meter.of_threads({7}, 2).empty());
}

TEST(FillMeter, AThreadThatEndsMeanwhileIsNoReasonToGiveUp) {
  auto fake = std::make_shared<charm::test::FakeAttached>();
  fake->gone = 7;
  FillMeter meter(fake, charm::test::attached_plan({{FillSource::other_chiplet, false}}), {});
  EXPECT_EQ(meter.of_threads({7, 8}, 1).size(), 1U);
  EXPECT_EQ(meter.why_not(), "");
}

TEST(FillMeter, LeavesThreadsOutWhereThereAreNoDescriptors) {
  auto fake = std::make_shared<charm::test::FakeAttached>();
  fake->room_for = 34;
  FillMeter meter(fake, charm::test::attached_plan({{FillSource::other_chiplet, false}}), {});
  EXPECT_EQ(meter.of_threads({1, 2, 3, 4, 5}, 1).size(), 2U);
  EXPECT_EQ(meter.left_out(), 3U);
}

}  // namespace
}  // namespace charm::counters
