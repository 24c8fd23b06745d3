// What readings of counters tell a controller.
#include "binding/readings.hpp"

#include <gtest/gtest.h>

#include "placement/machines.hpp"

namespace {

using charm::controller::FillSource;
using charm::counters::FillSource;
using charm::counters::Measured;

TEST(Readings, AreAddedBySource) {
  charm::counters::Reading reading;
  std::uint64_t lines = 1;
  for (const FillSource source : {FillSource::own_chiplet, FillSource::other_chiplet, FillSource::remote_cache,
                                  FillSource::local_dram, FillSource::remote_dram, FillSource::other}) {
    reading.fills[charm::counters::index(source)] = lines;
    lines *= 10;
  }
  reading.instructions = 7;
  charm::controller::Counts counts;
  for (int i = 0; i < 2; ++i) charm::binding::add_reading(counts, reading);
  const auto fills = [&](FillSource fill) { return counts.fills[charm::controller::index_beyond_l2(fill)]; };
  EXPECT_EQ(fills(FillSource::own_chiplet), 2);
  EXPECT_EQ(fills(FillSource::other_chiplet), 20);
  EXPECT_EQ(fills(FillSource::remote_cache), 200);
  EXPECT_EQ(fills(FillSource::local_dram), 2000);
  EXPECT_EQ(fills(FillSource::remote_dram), 220000) << "other memory counts as the farthest";
  EXPECT_EQ(counts.instructions, 14);
}

TEST(Readings, SayEnoughWithInstructionsAndOneFarSource) {
  using charm::binding::measures_enough;
  for (const FillSource source :
       {FillSource::other_chiplet, FillSource::remote_cache, FillSource::local_dram, FillSource::remote_dram}) {
    Measured has;
    has.fills.add(source);
    EXPECT_FALSE(measures_enough(has));
    has.instructions = true;
    EXPECT_TRUE(measures_enough(has));
  }
  Measured near;
  near.instructions = true;
  near.fills.add(FillSource::own_chiplet);
  EXPECT_FALSE(measures_enough(near));
}

TEST(Readings, HideChipletsWhereANodeHasSeveral) {
  using charm::binding::hides_chiplets;
  Measured has;
  has.fills.add(FillSource::local_dram);
  EXPECT_FALSE(hides_chiplets(has, charm::test::uniform(1, 2, 4))) << "they say nothing at all";
  has.instructions = true;
  EXPECT_TRUE(hides_chiplets(has, charm::test::uniform(1, 2, 4)));
  EXPECT_FALSE(hides_chiplets(has, charm::test::uniform(2, 1, 4))) << "a chiplet in each node";
  has.fills.add(FillSource::other_chiplet);
  EXPECT_FALSE(hides_chiplets(has, charm::test::uniform(1, 2, 4)));
}

}  // namespace
