// A measured profile as the topology reads and uses it. What writes profiles is tested in tests/probe.
#include "topology/profile.hpp"

#include <charm/error.hpp>

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "topology/machine_checks.hpp"

using namespace charm;
using namespace charm::test;
using topology::apply_profile;
using topology::ProfilePicture;

namespace {

using Rows = std::vector<std::vector<int>>;

/// Of every core, a row each, in so many chiplets by turns: cpus 0, 4, 8 ... are the first of four.
Rows in_turns(int cores, int chiplets) {
  Rows rows(static_cast<std::size_t>(chiplets));
  for (int core = 0; core < cores; ++core) rows[static_cast<std::size_t>(core % chiplets)].push_back(core);
  return rows;
}

/// Of every core, so many neighbours a chiplet.
Rows of_neighbours(int cores, int each) {
  Rows rows;
  for (int core = 0; core < cores; ++core) {
    if (core % each == 0) rows.emplace_back();
    rows.back().push_back(core);
  }
  return rows;
}

ProfilePicture measured(const Machine& machine, Rows chiplets) {
  ProfilePicture picture;
  picture.file = "p.json";
  picture.key = topology::key_of(machine);
  picture.date = "2026-01-01T00:00:00Z";
  picture.cpus = machine.allowed_cpus.values();
  picture.chiplets = std::move(chiplets);
  picture.chiplet_confidence = 1;
  return picture;
}

/// A guest that is told of one last-level cache for all.
Machine guest(int cores = 16) { return Machine::from("pack:1 l3:1 core:" + std::to_string(cores) + " pu:1"); }

std::string last_note(const Machine& machine) { return machine.notes.empty() ? "" : machine.notes.back(); }

TEST(Profile, GivesTheChipletsThatTheSystemHides) {
  const Machine before = guest();
  const Machine after = apply_profile(before, measured(before, in_turns(16, 4)));
  EXPECT_EQ(structure_error(after), "");
  ASSERT_EQ(after.chiplets.size(), 4U);
  EXPECT_EQ(cpus_of(after, 1), (CpuSet{1, 5, 9, 13}));
  EXPECT_EQ(after.chiplet_source, ChipletSource::measured);
  EXPECT_EQ(last_note(after), "4 chiplets were measured where the system shows 1; the measured ones are used.");
  EXPECT_EQ(after.measured.profile, "p.json");
  EXPECT_EQ(after.measured.date, "2026-01-01T00:00:00Z");
}

/// What the system shows stands, if it is finer than a cache for each package, and caches.
TEST(Profile, IsFollowedWhereTheSystemShowsNoMoreThanItsPackages) {
  const Machine a_cache_each = Machine::from("pack:2 l3:1 core:8 pu:1");
  EXPECT_EQ(apply_profile(a_cache_each, measured(a_cache_each, of_neighbours(16, 4))).chiplets.size(), 4U);
  const Machine finer = Machine::from("pack:1 l3:2 core:8 pu:1");
  const Machine after = apply_profile(finer, measured(finer, of_neighbours(16, 4)));
  EXPECT_EQ(after.chiplets.size(), 2U);
  EXPECT_EQ(last_note(after), "4 chiplets were measured where the system shows 2; those of the system are used.");
  const Machine none = Machine::from("pack:1 numa:2 core:8 pu:1");  // no cache is told
  EXPECT_EQ(apply_profile(none, measured(none, of_neighbours(16, 4))).chiplets.size(), 4U);
  // Fewer than the packages have.
  EXPECT_EQ(apply_profile(a_cache_each, measured(a_cache_each, of_neighbours(16, 16))).chiplets.size(), 2U);
  // What was measured is what is shown: nothing to say.
  EXPECT_EQ(apply_profile(finer, measured(finer, of_neighbours(16, 8))).notes.size(), finer.notes.size());
}

TEST(Profile, PairsAreNoChipletsAndThreesAre) {
  const Machine twelve = guest(12);
  const Machine pairs = apply_profile(twelve, measured(twelve, of_neighbours(12, 2)));
  EXPECT_EQ(pairs.chiplets.size(), 1U);
  EXPECT_NE(last_note(pairs).find("6 groups of one or two cores were measured"), std::string::npos);
  EXPECT_EQ(apply_profile(twelve, measured(twelve, of_neighbours(12, 3))).chiplets.size(), 4U);
  Rows mixed = of_neighbours(12, 2);
  mixed.back().push_back(mixed[4].back());
  mixed[4].pop_back();  // 2 2 2 2 1 3
  EXPECT_EQ(apply_profile(twelve, measured(twelve, mixed)).chiplets.size(), 6U);
}

TEST(Profile, ThatIsUnsurePartialOrDoubtfulChangesNoChiplets) {
  const Machine machine = guest();
  ProfilePicture picture = measured(machine, of_neighbours(16, 4));
  picture.chiplet_confidence = .8;
  EXPECT_EQ(apply_profile(machine, picture).chiplets.size(), 4U);
  picture.chiplet_confidence = .79;
  EXPECT_EQ(apply_profile(machine, picture).chiplets.size(), 1U);
  picture.chiplet_confidence = 1;
  picture.partial = true;
  EXPECT_EQ(apply_profile(machine, picture).chiplets.size(), 1U);
  picture.partial = false;
  picture.doubts = {"the cpus were busy"};
  const Machine doubted = apply_profile(machine, picture);
  EXPECT_EQ(doubted.chiplets.size(), 1U);
  EXPECT_TRUE(has_note(doubted, "doubtful, so that nothing but its numbers is used: the cpus were busy"));
  EXPECT_EQ(doubted.measured.doubts, picture.doubts);
}

/// Chiplets that overlap, leave a core out or reach over sockets cannot be; those over two nodes are one for each.
TEST(Profile, WhatCannotBeIsNotTaken) {
  const Machine machine = guest();
  Rows overlapping = of_neighbours(16, 4);
  overlapping[1].push_back(0);
  EXPECT_EQ(apply_profile(machine, measured(machine, overlapping)).chiplets.size(), 1U);
  Rows missing = of_neighbours(16, 4);
  missing[3].pop_back();
  EXPECT_EQ(apply_profile(machine, measured(machine, missing)).chiplets.size(), 1U);
  const Machine two = Machine::from("pack:2 l3:1 core:8 pu:1");
  EXPECT_EQ(apply_profile(two, measured(two, in_turns(16, 4))).chiplets.size(), 2U) << "over sockets";
  const Machine nodes = Machine::from("pack:1 numa:2 core:8 pu:1");
  EXPECT_EQ(apply_profile(nodes, measured(nodes, in_turns(16, 2))).chiplets.size(), 4U);
}

TEST(Profile, OfAnotherMachineIsRefusedWithTheFirstDifference) {
  const Machine machine = guest();
  const topology::ProfileKey same = topology::key_of(machine);
  EXPECT_EQ(topology::mismatch(same, machine), "");
  const auto why = [&](auto change) {
    topology::ProfileKey key = same;
    change(key);
    return topology::mismatch(key, machine);
  };
  EXPECT_EQ(why([](auto& k) { k.name = "other"; }),
            "it was measured on a machine with processor 'other', here it is ''");
  EXPECT_EQ(why([](auto& k) { k.cpus = 15; }), "it was measured on a machine with cpus: 15, here it is 16");
  EXPECT_EQ(why([](auto& k) { k.cores = 8; }), "it was measured on a machine with cores: 8, here it is 16");
  EXPECT_EQ(why([](auto& k) { k.nodes = 2; }), "it was measured on a machine with NUMA nodes: 2, here it is 1");
  EXPECT_EQ(why([](auto& k) { k.sockets = 3; }), "it was measured on a machine with sockets: 3, here it is 1");
  EXPECT_EQ(why([](auto& k) { k.measured_cpus.erase(15); }),
            "it was measured on 15 cpus (0-14), and this process may use others: 16 (0-15)");
  ProfilePicture other = measured(machine, of_neighbours(16, 4));
  other.key.cpus = 15;
  try {
    (void)apply_profile(machine, other);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::refused);
    EXPECT_NE(std::string(error.what()).find("the profile of 2026-01-01T00:00:00Z does not fit: it was"),
              std::string::npos);
  }
}

TEST(Profile, GivesDistancesWhereTheSystemTellsNone) {
  Machine machine = Machine::from("pack:2 numa:1 l3:1 core:8 pu:1");
  ProfilePicture picture = measured(machine, of_neighbours(16, 8));
  picture.node_os = {1, 0};  // in another order than the machine's
  picture.measured.node_latency_ns = {{50, 150}, {160, 40}};
  picture.measured.node_gb_per_s = {{20, 9}, {8, 21}};
  machine.node_distance = {{10, 21}, {21, 10}};
  EXPECT_EQ(apply_profile(machine, picture).node_distance[0][1], 21);
  machine.node_distance.clear();
  const Machine after = apply_profile(machine, picture);
  EXPECT_EQ(after.node_distance, (std::vector<std::vector<double>>{{10, 32}, {30, 10}}));
  EXPECT_EQ(after.measured.node_gb_per_s, (std::vector<std::vector<double>>{{21, 8}, {9, 20}}));
  EXPECT_EQ(last_note(after), "Distances between nodes were measured; the system reports none.");
  picture.measured.node_latency_ns = {{50, 20}, {0, 40}};
  EXPECT_TRUE(apply_profile(machine, picture).node_distance.empty()) << "a pair is missing";
  picture.measured.node_latency_ns = {{50, 20}, {20, 40}};
  EXPECT_EQ(apply_profile(machine, picture).node_distance[0][1], 10) << "nobody is nearer than oneself";
  picture.node_os = {1, 2};
  EXPECT_TRUE(apply_profile(machine, picture).measured.node_gb_per_s.empty()) << "of another node";
  picture.node_os = {1, 0};
  picture.partial = true;
  EXPECT_TRUE(apply_profile(machine, picture).node_distance.empty());
}

nlohmann::json profile() {
  return nlohmann::json::parse(R"({"charm_profile": 2, "machine": {"name": "cpu", "cpus": 4, "cores": 2, "nodes": 1,
    "sockets": 1, "measured_cpus": [0, 1, 3]}, "date": "2026-02-03", "partial": true, "doubts": ["busy"],
    "cpus": [0, 1, 3], "chiplets": [[0, 1], [2]], "confidence": {"chiplets": 0.75, "nodes": [1, 2]},
    "summary": {"nodes": [5], "core_latency_ns": 1, "chiplet_latency_ns": 2, "l3_latency_ns": 3, "core_gb_per_s": 4,
      "chiplet_gb_per_s": 5, "chiplet_memory_gb_per_s": 6, "node_memory_gb_per_s": 7, "memory_gb_per_s": 8,
      "node_latency_ns": [[9]], "memory_latency_ns": [[10]], "node_gb_per_s": [[11]]}})");
}

std::string refusal(const std::string& text) {
  try {
    (void)topology::parse_profile_picture(text, "p.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_input);
    EXPECT_FALSE(error.remedy().empty());
    const std::string said = error.what();
    return said.substr(0, said.find(';'));
  }
  return "";
}

TEST(Profile, EveryFieldIsRead) {
  const ProfilePicture picture = topology::parse_profile_picture(profile().dump(), "p.json");
  EXPECT_EQ(picture.file, "p.json");
  EXPECT_EQ(picture.key, (topology::ProfileKey{"cpu", 4, 2, 1, 1, CpuSet{0, 1, 3}}));
  EXPECT_EQ(picture.date, "2026-02-03");
  EXPECT_TRUE(picture.partial);
  EXPECT_EQ(picture.doubts, std::vector<std::string>{"busy"});
  EXPECT_EQ(picture.cpus, (std::vector<int>{0, 1, 3}));
  EXPECT_EQ(picture.chiplets, (Rows{{0, 1}, {2}}));
  EXPECT_EQ(picture.chiplet_confidence, .75);
  EXPECT_EQ(picture.node_os, std::vector<int>{5});
  const Measured& m = picture.measured;
  EXPECT_EQ(
      (std::vector<double>{m.core_latency_ns, m.chiplet_latency_ns, m.l3_latency_ns, m.core_gb_per_s,
                           m.chiplet_gb_per_s, m.chiplet_memory_gb_per_s, m.node_memory_gb_per_s, m.memory_gb_per_s}),
      (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(m.node_latency_ns[0][0], 9);
  EXPECT_EQ(m.memory_latency_ns[0][0], 10);
  EXPECT_EQ(m.node_gb_per_s[0][0], 11);
  EXPECT_FALSE(picture.machine.has_value());
  nlohmann::json of_before = profile();
  of_before.erase("doubts");
  for (const char* key : {"l3_latency_ns", "chiplet_memory_gb_per_s", "node_memory_gb_per_s", "memory_latency_ns"})
    of_before["summary"].erase(key);
  const Measured less = topology::parse_profile_picture(of_before.dump(), "p").measured;
  EXPECT_EQ(less.l3_latency_ns + less.chiplet_memory_gb_per_s + less.node_memory_gb_per_s, 0);
  EXPECT_TRUE(less.memory_latency_ns.empty());
  EXPECT_TRUE(topology::parse_profile_picture(of_before.dump(), "p").doubts.empty());
  of_before["idle"] = false;
  EXPECT_EQ(topology::parse_profile_picture(of_before.dump(), "p").doubts.size(), 1U);
}

TEST(Profile, WhatIsMissingOrImpossibleIsNamed) {
  for (const char* key : {"machine", "date", "partial", "cpus", "chiplets", "confidence", "summary"}) {
    nlohmann::json broken = profile();
    broken.erase(key);
    EXPECT_NE(refusal(broken.dump()).find(key), std::string::npos) << key << ": " << refusal(broken.dump());
  }
  const auto with = [](const std::string& pointer, const nlohmann::json& value) {
    nlohmann::json changed = profile();
    changed[nlohmann::json::json_pointer(pointer)] = value;
    return refusal(changed.dump());
  };
  EXPECT_EQ(with("/charm_profile", 3), "p.json: a profile of version 3, version 2 is understood");
  EXPECT_EQ(with("/machine/measured_cpus/1", -1), "p.json: a negative number of a cpu");
  EXPECT_EQ(with("/chiplets/1/0", 3), "p.json: row 3 is not in its matrix");
  EXPECT_EQ(with("/chiplets/1/0", -1), "p.json: row -1 is not in its matrix");
  EXPECT_EQ(with("/summary/node_gb_per_s/0/0", 1e16), "p.json: no machine measures 1e+16");
  EXPECT_EQ(with("/summary/core_gb_per_s", -2), "p.json: no machine measures -2");
  EXPECT_EQ(with("/summary/core_gb_per_s", -1), "") << "not known";
  EXPECT_EQ(with("/summary/node_latency_ns", {{1, 2}}), "p.json: a table that does not fit the nodes");
  EXPECT_NE(refusal("{").find("p.json: not a profile of a machine"), std::string::npos);
  EXPECT_EQ(refusal("[1]"), "p.json: not a profile of a machine");
  EXPECT_EQ(refusal("{\"a\": {}}"), "p.json: not a profile of a machine");
}

}  // namespace
