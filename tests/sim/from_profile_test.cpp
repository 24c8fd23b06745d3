// A profile that was measured becomes a model that runs.
#include "tools/sim/from_profile.hpp"

#include <charm/error.hpp>

#include <gtest/gtest.h>

#include "base/folder.hpp"
#include "controller/setup.hpp"
#include "tools/sim/run.hpp"
#include "tools/sim/this_machine.hpp"
#include "topology/profile.hpp"

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
  profile.curves = {{"Latency by working set",
                     "working set",
                     "B",
                     "latency",
                     "ns",
                     {{"node 0 (own)", {{4096, 1.5, 0}, {1e9, 98, 0}}}}}};
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

/// Four chiplets of four cores with 16 MiB of L3 each, on two sockets; the file of a measurement of it.
struct StoredProfile {
  StoredProfile() {
    machine = Machine::from("pack:2 numa:1 l3:2(size=16777216) l2:4(size=524288) core:1 pu:1");
    machine.name = "a machine of its own";
    probe::Profile profile = measured();
    profile.key = topology::key_of(machine);
    profile.system = machine;
    for (int i = 0; i < 16; ++i) {
      for (int j = 0; j < i; ++j) profile.latency.set(i, j, i / 4 == j / 4 ? 25 : i / 8 == j / 8 ? 88 : 222);
    }
    profile.seen = probe::cluster(profile.latency);
    profile.curves = {{"Latency by working set",
                       "working set",
                       "B",
                       "latency",
                       "ns",
                       {{"node 0 (own)", {{4e6, 15, 0}, {64e6, 141, 0}}}, {"node 1", {{4e6, 16, 0}, {64e6, 290, 0}}}}}};
    probe::summarise_profile(profile, machine);
    const std::string file = folder.file("profile.json", probe::profile_json(profile));
    machine = topology::apply_profile(machine, topology::read_profile_picture(file));
  }
  test::Folder folder;
  Machine machine;
};

/// What `charm evaluate` predicts with.
TEST(ModelOfThisMachine, HasTheMeasuredLatenciesAndTellsWhichTheyAre) {
  const StoredProfile stored;
  const sim::ThisMachine here = sim::model_of_this_machine(stored.machine);
  const sim::Costs& costs = here.model.costs;
  EXPECT_EQ(costs.l3_ns.value, 15);
  EXPECT_EQ(costs.same_chiplet_ns.value, 25);
  EXPECT_EQ(costs.other_chiplet_ns.value, 88);
  EXPECT_EQ(costs.other_socket_ns.value, 222);
  EXPECT_EQ(costs.dram_ns.value, 141);
  EXPECT_EQ(costs.remote_dram_ns.value, 290);
  EXPECT_NE(here.source.find("measured: l3_ns, same_chiplet_ns, other_chiplet_ns, other_node_ns, other_socket_ns, "
                             "dram_ns, remote_dram_ns; the other costs: estimate, as on "),
            std::string::npos)
      << here.source;
  Machine doubtful = stored.machine;
  doubtful.measured.doubts = {"the machine was busy"};
  EXPECT_NE(sim::model_of_this_machine(doubtful).model.costs.dram_ns.value, 141);
  EXPECT_NE(sim::model_of_this_machine(doubtful).source.find("doubtful"), std::string::npos);
}

/// A controller in the simulator knows of the machine what one on the machine would.
TEST(ModelOfThisMachine, GivesItsControllersTheMeasuredLatencies) {
  const StoredProfile stored;
  const auto expected = std::array<double, 5>{15, 88, 222, 141, 290};
  EXPECT_EQ(controller::traits_for(stored.machine).latency_ns, expected);
  EXPECT_EQ(controller::traits_for(sim::model_of_this_machine(stored.machine).model.machine).latency_ns, expected);
  const sim::Model of_the_file = sim::model(stored.machine.measured.profile);
  EXPECT_EQ(controller::traits_for(of_the_file.machine).latency_ns, expected);
}

/// Reads and copies have limits of their own; before, what was read was taken for the limit of reads and writes mixed.
TEST(ModelOfAProfile, HasTheMeasuredBandwidths) {
  probe::Profile profile = measured();
  profile.curves.push_back(
      {"STREAM by chiplets",
       "chiplets of a node",
       "",
       "bandwidth",
       "GB/s",
       {{"read", {{1, 40, 0}, {4, 150, 0}}}, {"write", {{1, 22, 0}, {4, 60, 0}}}, {"copy", {{1, 30, 0}, {4, 80, 0}}}}});
  profile.summary.chiplet_memory_gb_per_s = 40;
  profile.summary.node_memory_gb_per_s = 150;
  const sim::Costs costs = sim::model_of_profile(profile).costs;
  EXPECT_EQ(costs.memory_read.value, 150);
  EXPECT_EQ(costs.memory_mixed.value, 105) << "a third of a copy's lines is written: 120 GB/s with the lines filled";
  EXPECT_EQ(costs.link_read.value, 40);
  EXPECT_EQ(costs.link_write.value, 22);
}

TEST(ModelOfAProfile, NeedsLatencies) {
  probe::Profile profile = measured();
  profile.latency = probe::LatencyMatrix(0);
  EXPECT_THROW(sim::model_of_profile(profile), Error);
}

}  // namespace
