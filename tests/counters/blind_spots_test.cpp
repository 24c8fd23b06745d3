// What the counters of a core cannot tell is said, and nothing is said of what they can.
#include "counters/blind_spots.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "counters/sources.hpp"

namespace charm::counters {
namespace {

std::vector<std::string> of(const char* core, const char* machine_text) {
  const Machine machine = Machine::from(machine_text);
  const EventPlan plan = make_plan(model_named(core), shape_of(machine), {});
  Description description;
  description.kind = Description::Kind::hardware;
  description.classes = plan.classes;
  return blind_spots(description, machine);
}

constexpr const char* milan = "pack:2 numa:1 l3:8 core:8 pu:1";

TEST(BlindSpots, AreNoneWhereAllSourcesAreToldApart) {
  for (const char* core : {"zen3", "zen4", "zen5"}) EXPECT_TRUE(of(core, milan).empty()) << core;
}

TEST(BlindSpots, AreTheOtherChipletsWhereTheyAreAddedToTheOwn) {
  for (const char* core : {"zen2", "neoverse-n1"}) {
    const auto spots = of(core, milan);
    ASSERT_FALSE(spots.empty()) << core;
    EXPECT_NE(spots.front().find("counted among those of the own chiplet"), std::string::npos) << spots.front();
    EXPECT_NE(spots.front().find("charm-alg1 keeps its level"), std::string::npos);
  }
}

TEST(BlindSpots, AreNoneOfChipletsWhereThereIsOneForEachNode) {
  for (const auto& spot : of("spr", "pack:2 numa:1 l3:1 core:56 pu:1"))
    EXPECT_EQ(spot.find("other chiplets"), std::string::npos);
}

TEST(BlindSpots, AreOtherNodesOnlyWhereThereAreSuch) {
  const auto of_nodes = [](const std::vector<std::string>& spots) {
    return std::any_of(spots.begin(), spots.end(),
                       [](const std::string& spot) { return spot.starts_with("memory of other nodes"); });
  };
  int some = 0;
  for (const CpuModel& core : cpu_models()) {
    EXPECT_FALSE(of_nodes(of(std::string(core.name).c_str(), "pack:1 l3:8 core:8 pu:1"))) << core.name;
    const EventPlan plan = make_plan(&core, shape_of(Machine::from(milan)), {});
    const bool together =
        counted(plan.classes).has(FillSource::remote_dram) && !told_apart(plan.classes).has(FillSource::remote_dram);
    EXPECT_EQ(of_nodes(of(std::string(core.name).c_str(), milan)), together) << core.name;
    some += together ? 1 : 0;
  }
  EXPECT_GT(some, 0);
}

TEST(BlindSpots, AreEverythingWithoutCounters) {
  const Machine machine = Machine::from(milan);
  ASSERT_EQ(blind_spots({}, machine).size(), 1U);
  EXPECT_TRUE(blind_spots({}, Machine::from("pack:1 l3:1 core:4 pu:1")).empty()) << "one chiplet: nothing to see";
}

}  // namespace
}  // namespace charm::counters
