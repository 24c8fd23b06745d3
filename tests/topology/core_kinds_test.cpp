// Kinds of cores and their capacities, from every source that tells them.
#include "topology/core_kinds.hpp"

#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "topology/kind_machines.hpp"
#include "topology/machine_checks.hpp"
#include "topology/machine_json.hpp"

using namespace charm;
using namespace charm::test;

namespace {

CpuSet cpus_of_kind(const Machine& machine, CoreKind kind) {
  CpuSet cpus;
  for (const Core& core : machine.cores) {
    if (core.kind == kind) cpus |= core.siblings;
  }
  return cpus;
}

int capacity_of_cpu(const Machine& machine, int cpu) { return machine.core_of_cpu(cpu)->capacity; }

TEST(CoreKinds, OfGb10AreToldByTheSchedulersCapacities) {
  const Machine m = gb10();
  EXPECT_EQ(cpus_of_kind(m, CoreKind::performance).to_text(), "5-9,15-19");
  EXPECT_EQ(cpus_of_kind(m, CoreKind::efficiency).to_text(), "0-4,10-14");
  EXPECT_EQ(capacity_of_cpu(m, 0), 718);
  EXPECT_EQ(capacity_of_cpu(m, 5), 997);
  EXPECT_EQ(capacity_of_cpu(m, 19), 1024);
}

TEST(CoreKinds, Of288vAreToldByIntelsTypesAndThoseOutsideOfTheL3AreLowPower) {
  const Machine m = core_ultra_288v();
  EXPECT_EQ(cpus_of_kind(m, CoreKind::performance).to_text(), "0-3");
  EXPECT_EQ(cpus_of_kind(m, CoreKind::low_power).to_text(), "4-7");
  EXPECT_EQ(capacity_of_cpu(m, 0), 1024);
  EXPECT_EQ(capacity_of_cpu(m, 4), 520) << "seven tenths in a cycle";
}

TEST(CoreKinds, Of155hAreToldByHwlocWhateverTheNumbersOfItsCpus) {
  const Machine m = Machine::from(topology_file("Intel-MeteorLake-CoreUltra155H.xml"));
  EXPECT_EQ(cpus_of_kind(m, CoreKind::performance).to_text(), "0-1,10-19");
  EXPECT_EQ(cpus_of_kind(m, CoreKind::efficiency).to_text(), "2-9");
  EXPECT_EQ(cpus_of_kind(m, CoreKind::low_power).to_text(), "20-21");
}

/// Types alone: what a core of each does is as reviewers measured.
TEST(CoreKinds, OfTypesWithoutSpeedsHaveUsualCapacities) {
  topology::Survey survey;
  survey.l3_bytes = {24U << 20U};
  for (int c = 0; c < 3; ++c) {
    survey.cores.push_back({});
    survey.cores.back().l3 = c < 2 ? 0 : -1;
    survey.cores.back().rank = c == 0 ? 1 : 0;
  }
  const auto speeds = topology::core_speeds(survey);
  ASSERT_EQ(speeds.size(), 3U);
  EXPECT_EQ(speeds[0].capacity, 1024);
  EXPECT_EQ(speeds[1].kind, CoreKind::efficiency);
  EXPECT_EQ(speeds[1].capacity, 614);
  EXPECT_EQ(speeds[2].kind, CoreKind::low_power);
  EXPECT_EQ(speeds[2].capacity, 410);
}

TEST(CoreKinds, OfM1UltraWithoutAnyL3NoneIsLowPower) {
  const Machine m = m1_ultra();
  EXPECT_EQ(cpus_of_kind(m, CoreKind::performance).to_text(), "2-9,12-19");
  EXPECT_EQ(cpus_of_kind(m, CoreKind::efficiency).to_text(), "0-1,10-11");
  EXPECT_EQ(m.chiplets.size(), 6U) << "by their L2 caches";
}

TEST(CoreKinds, OfStrixPointAreToldByItsModelAndItsCaches) {
  const Machine m = Machine::from(topology_file("AMD-1Ah-Zen5StrixPoint-RyzenAI9HX370.xml"));
  EXPECT_EQ(cpus_of_kind(m, CoreKind::performance).to_text(), "0-3,12-15");
  EXPECT_EQ(cpus_of_kind(m, CoreKind::efficiency).to_text(), "4-11,16-23");
  EXPECT_LT(capacity_of_cpu(m, 4), capacity_of_cpu(m, 0));
}

TEST(CoreKinds, FavouredCoresAreOfOneKindAndFaster) {
  const Machine m = ryzen_7950x3d();
  EXPECT_EQ(cpus_of_kind(m, CoreKind::performance).size(), 16U);
  EXPECT_LT(capacity_of_cpu(m, 0), capacity_of_cpu(m, 8));
  EXPECT_EQ(capacity_of_cpu(m, 15), 1024);
}

TEST(CoreKinds, ThreeTiersHaveOneInTheMiddle) {
  topology::Survey survey;
  for (const int capacity : {1024, 760, 720, 280}) {
    survey.cores.push_back({});
    survey.cores.back().capacity = capacity;
  }
  const auto speeds = core_speeds(survey);
  EXPECT_EQ(speeds[0].kind, CoreKind::performance);
  EXPECT_EQ(speeds[1].kind, CoreKind::middle);
  EXPECT_EQ(speeds[2].kind, CoreKind::middle);
  EXPECT_EQ(speeds[3].kind, CoreKind::efficiency);
}

TEST(CoreKinds, WhereOneCoreIsNotToldAllAreAlike) {
  topology::Survey survey;
  survey.cores.resize(3);
  survey.cores[0].capacity = 1024;
  survey.cores[1].capacity = 300;
  for (const auto& speed : core_speeds(survey)) {
    EXPECT_EQ(speed.kind, CoreKind::performance);
    EXPECT_EQ(speed.capacity, 1024);
  }
}

TEST(CoreKinds, AreWrittenToJsonWhereThereAreAnyAndReadBack) {
  const Machine m = core_ultra_288v();
  const auto json = topology::machine_to_json(m);
  const Machine again = topology::machine_from_json(json, "a machine");
  for (std::size_t c = 0; c < m.cores.size(); ++c) {
    EXPECT_EQ(again.cores[c].kind, m.cores[c].kind);
    EXPECT_EQ(again.cores[c].capacity, m.cores[c].capacity);
  }
  EXPECT_FALSE(topology::machine_to_json(Machine::from("core:2 pu:1"))["cores"][0].contains("kind"));
}

}  // namespace
