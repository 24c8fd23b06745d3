// Plans: what is counted on which machine, in how many groups.
#include "counters/plan.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "counters/fake_perf.hpp"

namespace charm::counters {
namespace {

FillSet fills_of(const EventPlan& plan) {
  FillSet set;
  for (const auto& group : plan.groups) {
    for (const Planned& one : group) {
      if (one.role == EventRole::fill) set.add(one.source);
    }
  }
  return set;
}

TEST(EventPlan, CountsFiveSourcesAndInstructionsInOneGroupOfZen) {
  for (const char* core : {"zen3", "zen4", "zen5"}) {
    const EventPlan plan = make_plan(model_named(core), {2, 2, 2}, {});
    ASSERT_EQ(plan.groups.size(), 1U) << core;
    EXPECT_EQ(plan.groups[0].size(), 6U);
    EXPECT_TRUE(plan.counts(EventRole::instructions));
    EXPECT_EQ(fills_of(plan), (FillSet{FillSource::own_chiplet, FillSource::other_chiplet, FillSource::remote_cache,
                                       FillSource::local_dram, FillSource::remote_dram}));
    EXPECT_EQ(told_apart(plan.classes), fills_of(plan));
    EXPECT_FALSE(plan.notes.empty()) << "what found no counter is said";
  }
}

TEST(EventPlan, FillsTheRoomThatOneNodeLeaves) {
  const EventPlan plan = make_plan(model_named("zen4"), {1, 1, 1}, {});
  ASSERT_EQ(plan.groups.size(), 1U);
  EXPECT_TRUE(fills_of(plan).has(FillSource::own_l2));
  EXPECT_FALSE(fills_of(plan).has(FillSource::remote_dram));
  const auto says = [](const EventPlan& of) {
    return std::any_of(of.notes.begin(), of.notes.end(),
                       [](const std::string& note) { return note.starts_with("remote sources are not counted"); });
  };
  EXPECT_TRUE(says(plan));
  EXPECT_FALSE(says(make_plan(model_named("zen4"), {2, 2, 2}, {})));
}

TEST(EventPlan, TakesTurnsWhereIntelHasTwoOffcoreRegisters) {
  const EventPlan one_node = make_plan(model_named("spr"), {1, 1, 1}, {});
  for (const Planned& one : one_node.groups.front())
    EXPECT_EQ(one.fixed, one.role != EventRole::fill) << one.name << ": Intel has counters for these alone";
  EXPECT_FALSE(one_node.multiplexed());
  const EventPlan two_sockets = make_plan(model_named("spr"), {2, 2, 2}, {});
  EXPECT_EQ(two_sockets.groups.size(), 2U);
  const EventPlan clustered = make_plan(model_named("spr"), {8, 8, 2}, {});
  EXPECT_EQ(clustered.groups.size(), 3U);
  for (const auto& group : clustered.groups) {
    EXPECT_LE(std::count_if(group.begin(), group.end(), [](const Planned& one) { return one.offcore; }), 2);
  }
}

TEST(EventPlan, SaysThatZen2HasOneNumberForAllChipletsOfTheNode) {
  const EventPlan plan = make_plan(model_named("zen2"), {2, 2, 2}, {});
  EXPECT_FALSE(told_apart(plan.classes).has(FillSource::own_chiplet));
  EXPECT_FALSE(told_apart(plan.classes).has(FillSource::other_chiplet));
  EXPECT_TRUE(counted(plan.classes).has(FillSource::other_chiplet));
}

TEST(EventPlan, OfAnUnknownCoreCountsInstructionsAndCycles) {
  const EventPlan plan = make_plan(nullptr, {2, 2, 2}, {});
  EXPECT_TRUE(plan.counts(EventRole::instructions));
  EXPECT_TRUE(plan.counts(EventRole::cycles));
  EXPECT_TRUE(fills_of(plan).empty());
  EXPECT_NE(plan.notes.front().find("counter_events"), std::string::npos);
}

TEST(EventPlan, TakesTheUsersEventsInsteadOfTheCatalogues) {
  const EventPlan plan = make_plan(model_named("zen4"), {2, 2, 2}, parse_user_events("other_chiplet=4:0x444+4:0x1044"));
  EXPECT_EQ(fills_of(plan), FillSet{FillSource::other_chiplet});
  EXPECT_TRUE(plan.counts(EventRole::instructions));
  ASSERT_EQ(plan.classes.size(), 1U);
  EXPECT_EQ(plan.classes[0].reported_as, FillSource::other_chiplet);
  EXPECT_EQ(plan.classes[0].covers, FillSet{FillSource::other_chiplet});
  EXPECT_FALSE(plan.groups[0][0].offcore) << "these need a second number";
  const EventPlan offcore = make_plan(model_named("spr"), {2, 2, 2}, parse_user_events("other_chiplet=4:0x12a:0x1"));
  for (const auto& group : offcore.groups) {
    for (const Planned& one : group) EXPECT_EQ(one.offcore, one.role == EventRole::fill) << one.name;
  }
  const EventPlan own = make_plan(model_named("zen4"), {2, 2, 2}, parse_user_events("instructions=4:0xc0"));
  EXPECT_TRUE(own.counts(EventRole::instructions));
  for (const FillClass& one : own.classes) EXPECT_NE(one.meaning, plan.classes[0].meaning) << "of no source";
}

TEST(EventPlan, KeepsEveryEventWhenGroupsGetSmaller) {
  for (const CpuModel& model : cpu_models()) {
    const EventPlan plan = make_plan(&model, {8, 8, 2}, {});
    std::size_t all = 0;
    for (const auto& group : plan.groups) all += group.size();
    for (int room = 1; room <= 6; ++room) {
      Limits limits = limits_of(model);
      limits.counters = room;
      limits.fixed = 0;
      std::size_t kept = 0;
      for (const auto& group : regroup(plan.groups, limits)) {
        EXPECT_LE(group.size(), static_cast<std::size_t>(room));
        kept += group.size();
      }
      EXPECT_EQ(kept, all) << model.name;
    }
  }
}

TEST(Shape, CountsMemoryOnlyNodesAsMemoryAlone) {
  const Machine machine = Machine::from("pack:2 numa:1 l3:4 core:2 pu:1");
  const Shape shape = shape_of(machine);
  EXPECT_EQ(shape.nodes, 2);
  EXPECT_EQ(shape.cpu_nodes, 2);
  EXPECT_EQ(shape.sockets, 2);
}

}  // namespace
}  // namespace charm::counters
