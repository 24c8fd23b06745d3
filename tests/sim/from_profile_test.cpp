// A profile that was measured becomes a model that runs.
#include "sim/from_profile.hpp"

#include <charm/error.hpp>

#include <gtest/gtest.h>

#include "base/folder.hpp"
#include "sim/run.hpp"

using namespace charm;

namespace {

probe::Profile measured() {
  probe::Profile profile;
  profile.key.name = "a guest";
  profile.date = "2026-01-01T00:00:00Z";
  for (int cpu = 0; cpu < 16; ++cpu) profile.cpus.push_back(cpu);
  profile.latency = probe::LatencyMatrix(16);
  for (int i = 0; i < 16; ++i) {
    for (int j = 0; j < i; ++j) profile.latency.set(i, j, i % 4 == j % 4 ? 25 + i % 3 : 100 + j % 5);
  }
  profile.seen = probe::cluster(profile.latency);
  profile.curves = {
      {"Latency by working set", "working set", "B", "latency", "ns", {{"own", {{4096, 1.5, 0}, {1e9, 98, 0}}}}}};
  return profile;
}

TEST(ModelOfAProfile, HasTheMeasuredChipletsAndLatencies) {
  const sim::Model model = sim::model_of_profile(measured());
  EXPECT_EQ(model.machine.chiplets.size(), 4U);
  EXPECT_EQ(model.machine.cores.size(), 16U);
  EXPECT_NEAR(model.costs.same_chiplet_ns.value, 26, 1);
  EXPECT_NEAR(model.costs.other_chiplet_ns.value, 102, 2);
  EXPECT_EQ(model.costs.dram_ns.value, 98);
  EXPECT_NE(model.costs.dram_ns.source.find("measured"), std::string::npos);
  EXPECT_NE(model.costs.socket_link.source.find("estimate"), std::string::npos);
}

TEST(ModelOfAProfile, Runs) {
  const sim::Model model = sim::model_of_profile(measured());
  EXPECT_GT(sim::run(model, "sweep", "charm", 4).throughput, 0);
}

TEST(ModelOfAProfile, IsTakenForAMachineAsTheFileIs) {
  const test::Folder folder;
  const sim::Model model = sim::model(folder.file("guest.json", probe::profile_json(measured())));
  EXPECT_EQ(sim::model_json(model), sim::model_json(sim::model_of_profile(measured())));
  EXPECT_EQ(model.machine.chiplets.size(), 4U);
}

TEST(ModelOfAProfile, TakesCacheSizesFromWhatTheSystemTold) {
  probe::Profile profile = measured();
  Machine system = sim::model("kunpeng-920-64").machine;
  for (auto& core : system.cores) core.l2_bytes = 3 << 20;
  profile.system = system;
  for (const auto& core : sim::model_of_profile(profile).machine.cores) EXPECT_EQ(core.l2_bytes, 3U << 20);
}

TEST(ModelOfAProfile, NeedsLatencies) {
  probe::Profile profile = measured();
  profile.latency = probe::LatencyMatrix(0);
  EXPECT_THROW(sim::model_of_profile(profile), Error);
}

}  // namespace
