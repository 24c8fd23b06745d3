// Domains within a last-level cache: by number, by cluster, by lists of cpus; and the processors whose tiles are known.
#include "topology/domains.hpp"

#include <charm/error.hpp>
#include <charm/machine.hpp>

#include <fstream>
#include <functional>
#include <rapidcheck.h>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/folder.hpp"
#include "placement/restrict.hpp"
#include "stealing/distance_table.hpp"
#include "topology/build.hpp"
#include "topology/machine_checks.hpp"
#include "topology/machine_json.hpp"
#include "topology/survey.hpp"
#include "topology/tiles.hpp"

using namespace charm;
using namespace charm::test;
using topology::with_domains;

namespace {

Machine two_8480() { return Machine::from("pack:2 [numa] l3:1 core:56 pu:2"); }

/// Two sockets with an L3 over eight cores each, in clusters of four; core 15 is in none.
topology::Survey clustered() {
  topology::Survey s;
  s.origin = "test";
  s.sockets = 2;
  s.l3_bytes = {32U << 20U, 32U << 20U};
  s.nodes = {{0, 1, 0}, {1, 1, 1}};
  s.allowed_nodes = {0, 1};
  for (int c = 0; c < 16; ++c) {
    s.cores.push_back({{c}, c / 8, c / 8, c / 8, 0, 0});
    s.cores.back().cluster = c < 15 ? c / 4 : -1;
    s.all_cpus.insert(c);
  }
  s.allowed_cpus = s.all_cpus;
  return s;
}

std::string refusal(const Machine& machine, const std::string& domains) {
  try {
    with_domains(machine, domains);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_input);
    return error.what();
  }
  return "";
}

/// What was cut is put together again, whatever the process may use of it.
TEST(Domains, GiveTheirWholeCachesBack) {
  for (const Machine& machine : {two_8480(), topology::build(clustered())}) {
    const Machine back = topology::with_whole_caches(with_domains(machine, "2"));
    EXPECT_EQ(structure_error(back), "");
    ASSERT_EQ(back.chiplets.size(), machine.chiplets.size());
    for (std::size_t c = 0; c < back.chiplets.size(); ++c) {
      EXPECT_EQ(cpus_of(back, static_cast<int>(c)), cpus_of(machine, static_cast<int>(c)));
      EXPECT_EQ(back.chiplets[c].l3_bytes, machine.chiplets[c].l3_bytes);
      EXPECT_EQ(back.chiplets[c].total_cores, machine.chiplets[c].total_cores);
    }
    EXPECT_EQ(back.distance(0, back.chiplets[0].cores.back()), 1);
    EXPECT_EQ(back.chiplet_source, machine.chiplet_source);
  }
  // Caches of their own stay as they are.
  EXPECT_EQ(topology::with_whole_caches(Machine::from("pack:2 l3:4 core:2 pu:1")).chiplets.size(), 8U);
}

TEST(Domains, ANumberCutsEachCacheIntoSoManyParts) {
  const Machine before = two_8480();
  const Machine m = with_domains(before, "4");
  EXPECT_EQ(structure_error(m), "");
  ASSERT_EQ(m.chiplets.size(), 8U);
  EXPECT_EQ(m.chiplet_source, ChipletSource::declared);
  EXPECT_TRUE(has_note(m, "8 domains are taken as chiplets where the system shows 2"));
  EXPECT_EQ(cpus_of(m, 1), cpus_of(with_domains(before, "56"), 14) | cpus_of(with_domains(before, "8"), 2) |
                               cpus_of(with_domains(before, "8"), 3));
  for (const Chiplet& chiplet : m.chiplets) {
    EXPECT_EQ(chiplet.cores.size(), 14U);
    EXPECT_EQ(chiplet.total_cores, 14);
    EXPECT_EQ(chiplet.l3_bytes, before.chiplets[0].l3_bytes / 4);
    EXPECT_EQ(chiplet.shared_cache, chiplet.id / 4);
  }
  EXPECT_EQ(with_domains(before, "3").chiplets[0].cores.size(), 19U);  // 19 + 19 + 18
  EXPECT_EQ(with_domains(before, "3").chiplets[2].cores.size(), 18U);
}

TEST(Domains, ThoseOfOneCacheAreNearerThanOthers) {
  const Machine m = with_domains(Machine::from("pack:2 [numa] l3:2 core:8"), "2");
  EXPECT_EQ(m.distance(0, 3), 1);
  EXPECT_EQ(m.distance(0, 4), 1.5);
  EXPECT_EQ(m.distance(0, 8), 2);
  EXPECT_EQ(m.distance(4, 15), 2);
  EXPECT_GE(m.distance(0, 16), 4);
  const stealing::DistanceTable table(m, {0, 1, 2, 3, 4});
  EXPECT_EQ(table.by_distance(1)[0], 0);
  EXPECT_EQ(table.by_distance(3)[0], 2);
  EXPECT_EQ(table.by_distance(0).back(), 4);
}

TEST(Domains, AreStillOfOneCacheWhereCpusAreTakenAway) {
  const Machine m = placement::restricted(with_domains(Machine::from("pack:1 l3:2 core:8"), "2"), {0, 4, 5, 8, 12});
  ASSERT_EQ(m.chiplets.size(), 4U);
  EXPECT_EQ(m.distance(0, 1), 1.5);
  EXPECT_EQ(m.distance(3, 4), 1.5);
  EXPECT_EQ(m.distance(1, 3), 2);
}

TEST(Domains, AMaskDoesNotMoveTheirBorders) {
  topology::Survey s = clustered();
  s.allowed_cpus = {0, 1, 2, 3, 4, 9, 15};
  const Machine m = with_domains(topology::build(s), "2");
  EXPECT_EQ(structure_error(m), "");
  ASSERT_EQ(m.chiplets.size(), 4U);
  EXPECT_EQ(cpus_of(m, 0), (CpuSet{0, 1, 2, 3}));  // not 0-2 and 3-4, as the half of those that are left
  EXPECT_EQ(cpus_of(m, 1), (CpuSet{4}));
  EXPECT_EQ(cpus_of(m, 2), (CpuSet{9}));
  EXPECT_EQ(cpus_of(m, 3), (CpuSet{15}));
}

TEST(Domains, ClustersOfTheKernelAndCoresThatShareAnL2) {
  const Machine m = with_domains(topology::build(clustered()), "cluster");
  EXPECT_EQ(structure_error(m), "");
  ASSERT_EQ(m.chiplets.size(), 5U);
  EXPECT_EQ(cpus_of(m, 1), range(4, 7));
  EXPECT_EQ(cpus_of(m, 3), range(12, 14));
  EXPECT_EQ(cpus_of(m, 4), (CpuSet{15}));  // what is left is one of its own
  EXPECT_EQ(m.chiplets[4].shared_cache, 1);

  topology::Survey s = clustered();
  for (int c = 0; c < 16; ++c) {
    s.cores[static_cast<std::size_t>(c)].cluster = -1;
    s.cores[static_cast<std::size_t>(c)].l2 = c / 2;
  }
  EXPECT_EQ(with_domains(topology::build(s), "cluster").chiplets.size(), 8U);
  for (int c = 0; c < 16; ++c) s.cores[static_cast<std::size_t>(c)].l2 = c;  // an L2 for each core is no cluster
  EXPECT_NE(refusal(topology::build(s), "cluster").find("no clusters"), std::string::npos);
}

TEST(Domains, ListsOfCpusByTextAndByFile) {
  const Machine before = topology::build(clustered());
  const Machine m = with_domains(before, "0-2;3-7 ; 8,10,12");
  EXPECT_EQ(structure_error(m), "");
  ASSERT_EQ(m.chiplets.size(), 4U);
  EXPECT_EQ(cpus_of(m, 0), range(0, 2));
  EXPECT_EQ(cpus_of(m, 1), range(3, 7));
  EXPECT_EQ(cpus_of(m, 2), (CpuSet{8, 10, 12}));
  EXPECT_EQ(cpus_of(m, 3), (CpuSet{9, 11, 13, 14, 15}));

  const Folder folder;
  const std::string file = folder.path() + "/domains";
  std::ofstream(file) << "# tiles\n0-2\n\n3-7 # the second\r\n8,10,12\n";
  EXPECT_EQ(topology::machine_to_json(with_domains(before, file)), topology::machine_to_json(m));
}

TEST(Domains, CpusThatMayNotBeUsedAreNoMistake) {
  topology::Survey s = clustered();
  s.allowed_cpus = range(0, 5);
  const Machine m = with_domains(topology::build(s), "0-3;4-7;8-15");
  ASSERT_EQ(m.chiplets.size(), 2U);
  EXPECT_EQ(cpus_of(m, 1), range(4, 5));
}

TEST(Domains, WhatDoesNotFitIsRefusedByName) {
  const Machine m = topology::build(clustered());
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"0-3;2-7", "the core of cpu 2 is in two of them"},
      {"0-3;6-9", "the list 6-9 has cores of chiplets 0 and 1"},
      {"0-3;99", "there is no cpu 99"},
      {"zero", "'zero' is no list of cpus"},
      {"0-3;7-5", "'7-5' is no list of cpus"},
      {";;", "no list of cpus"},
      {"0", "cannot make 0 parts"},
      {"1", "cannot make 1 parts"},
      {"9", "cannot make 9 parts of chiplets of at most 8 cores"},
      {"4097", "cannot make 4097 parts"},
      {"99999999999999", "cannot make 99999999999999 parts"},
      {"/nowhere/at/all", "'/nowhere/at/all' does not exist"},
  };
  for (const auto& [text, problem] : wrong) {
    const std::string said = refusal(m, text);
    EXPECT_NE(said.find("domains: "), std::string::npos) << text;
    EXPECT_NE(said.find(problem), std::string::npos) << text << ": " << said;
  }
  EXPECT_EQ(with_domains(m, "8").chiplets.size(), 16U);  // the most there can be
}

TEST(Domains, AutomaticChangesNothing) {
  const Machine m = two_8480();
  for (const char* automatic : {"", "auto"})
    EXPECT_EQ(topology::machine_to_json(with_domains(m, automatic)), topology::machine_to_json(m));
}

TEST(Domains, AreKeptInJson) {
  const Machine masked = [] {
    topology::Survey s = clustered();
    s.allowed_cpus = {1, 2, 5, 9, 10, 15};
    return topology::build(s);
  }();
  for (const Machine& m : {masked, with_domains(masked, "2"), with_domains(masked, "cluster")}) {
    const auto json = topology::machine_to_json(m);
    const Machine back = topology::machine_from_json(nlohmann::json::parse(json.dump()), "test");
    EXPECT_EQ(topology::machine_to_json(back), json);
    for (std::size_t c = 0; c < m.cores.size(); ++c) {
      EXPECT_EQ(back.cores[c].position, m.cores[c].position);
      EXPECT_EQ(back.cores[c].cluster, m.cores[c].cluster);
    }
    for (std::size_t c = 0; c < m.chiplets.size(); ++c) {
      EXPECT_EQ(back.chiplets[c].total_cores, m.chiplets[c].total_cores);
      EXPECT_EQ(back.chiplets[c].shared_cache, m.chiplets[c].shared_cache);
    }
  }
}

TEST(Domains, CutAnyMachineWithoutLosingAnything) {
  EXPECT_TRUE(rc::check("domains partition chiplets", [] {
    const int cores = *rc::gen::inRange(1, 9);
    const Machine before = Machine::from(
        "pack:" + std::to_string(*rc::gen::inRange(1, 3)) + " [numa] l3:" + std::to_string(*rc::gen::inRange(1, 5)) +
        " core:" + std::to_string(cores) + " pu:" + std::to_string(*rc::gen::inRange(1, 3)));
    std::string domains;
    if (*rc::gen::arbitrary<bool>() && cores > 1) {
      domains = std::to_string(*rc::gen::inRange(2, cores + 1));
    } else {
      for (const Chiplet& chiplet : before.chiplets) {  // any cores of each
        CpuSet some;
        for (const int core : chiplet.cores) {
          if (*rc::gen::arbitrary<bool>()) some |= before.cores[static_cast<std::size_t>(core)].siblings;
        }
        if (!some.empty()) domains += some.to_text() + ";";
      }
      if (domains.empty()) return;
    }
    const Machine m = with_domains(before, domains);
    RC_ASSERT(structure_error(m) == "");
    RC_ASSERT(m.cores.size() == before.cores.size());
    std::vector<std::uint64_t> bytes(before.chiplets.size());
    for (const Core& core : m.cores) {
      const Core* old = before.core_of_cpu(core.cpu);
      RC_ASSERT(old != nullptr);
      RC_ASSERT(old->siblings == core.siblings);
      RC_ASSERT(old->node == core.node);
      for (const Core& other : m.cores) {
        const Core* old_other = before.core_of_cpu(other.cpu);
        RC_ASSERT(old_other != nullptr);
        if (core.chiplet == other.chiplet) RC_ASSERT(old->chiplet == old_other->chiplet);
        const bool one_cache = m.chiplets[static_cast<std::size_t>(core.chiplet)].shared_cache ==
                               m.chiplets[static_cast<std::size_t>(other.chiplet)].shared_cache;
        RC_ASSERT(one_cache == (old->chiplet == old_other->chiplet));
      }
    }
    for (const Chiplet& chiplet : m.chiplets) {
      const Core& first = m.cores[static_cast<std::size_t>(chiplet.cores.front())];
      bytes[static_cast<std::size_t>(before.core_of_cpu(first.cpu)->chiplet)] += chiplet.l3_bytes;
    }
    for (std::size_t c = 0; c < bytes.size(); ++c) RC_ASSERT(bytes[c] <= before.chiplets[c].l3_bytes);
  }));
}

TEST(Tiles, OfProcessorsThatAreKnown) {
  const auto tiles = [](const char* name, int cores) { return topology::known_tiles(name, cores); };
  EXPECT_EQ(tiles("Intel(R) Xeon(R) Platinum 8480+", 56), 4);
  EXPECT_EQ(tiles("Intel(R) Xeon(R) Platinum 8488C", 48), 4);
  EXPECT_EQ(tiles("Intel (R) Xeon (R) CPU Max 9460", 40), 4);
  EXPECT_EQ(tiles("Intel(R) Xeon(R) Gold 6430", 32), 1);  // one die
  EXPECT_EQ(tiles("Intel(R) Xeon(R) Gold 6438N", 33), 4);
  EXPECT_EQ(tiles("INTEL(R) XEON(R) PLATINUM 8592+", 64), 2);
  EXPECT_EQ(tiles("Intel(R) Xeon(R) Platinum 8375C CPU @ 2.90GHz", 32), 1);
  EXPECT_EQ(tiles("Intel(R) Xeon(R) Platinum 8375C CPU @ 2.90GHz", 64), 1);
  EXPECT_EQ(tiles("Intel(R) Xeon(R) 6980P", 128), 3);
  EXPECT_EQ(tiles("Intel(R) Xeon(R) 6980P", 43), 1);  // a NUMA node for each die, as they come
  EXPECT_EQ(tiles("Intel(R) Xeon(R) 6787P", 86), 2);
  EXPECT_EQ(tiles("Intel(R) Xeon(R) 6780E", 144), 1);
  EXPECT_EQ(tiles("Intel(R) Xeon(R) CPU E5-2630 v4 @ 2.20GHz", 40), 1);
  EXPECT_EQ(tiles("AMD EPYC 8434P 48-Core Processor", 48), 1);
  EXPECT_EQ(tiles("Xeon 84801", 56), 1);
  EXPECT_EQ(tiles("", 56), 1);
}

TEST(Tiles, ANoteSaysHowToTakeThemForChiplets) {
  Machine m = two_8480();
  m.name = "Intel(R) Xeon(R) Platinum 8480+";
  EXPECT_TRUE(has_note(with_domains(m, "auto"), "4 dies behind each L3 cache"));
  EXPECT_TRUE(has_note(with_domains(m, "auto"), "CHARM_DOMAINS=4"));
  EXPECT_FALSE(has_note(with_domains(m, "4"), "dies behind"));
}

}  // namespace
