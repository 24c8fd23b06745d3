// Descriptions that come from elsewhere: shapes that hwloc numbers in its own way, files that never end, trees that are
// damaged. Random changes of good ones are in fuzz_test.cpp.
#include "topology/foreign.hpp"

#include <charm/error.hpp>
#include <charm/machine.hpp>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <random>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "base/folder.hpp"
#include "base/text.hpp"
#include "topology/descriptions.hpp"
#include "topology/hwloc_handle.hpp"
#include "topology/machine_checks.hpp"
#include "topology/machine_json.hpp"
#include "topology/survey_of.hpp"
#include "topology/survey_wire.hpp"
#include "topology/synthetic.hpp"
#include "topology/sysfs_tree.hpp"

using namespace charm;
using namespace charm::test;

namespace {

std::vector<SysfsCpu> eight() {
  return sysfs_cpus(8, [](int i, SysfsCpu& c) { c.l3 = i / 4; });
}

TEST(TwoDepths, TheInnerL3IsTheChipletInASyntheticString) {
  const Machine m = Machine::from("l3:2 l3:2 core:2 pu:1");
  EXPECT_EQ(structure_error(m), "");
  EXPECT_EQ(m.chiplets.size(), 4U);
  EXPECT_EQ(cpus_of(m, 3), range(6, 7));
  EXPECT_TRUE(has_note(m, "L3 caches lie within others"));
  EXPECT_EQ(Machine::from("l3:2 l3:2(size=1MB) core:2 pu:1").chiplets.size(), 4U);  // by hwloc
}

TEST(Firmware, TellsTheBandwidthsAndLatenciesOfMemories) {
  const SysfsTree tree(sysfs_cpus(8, [](int i, SysfsCpu& c) { c.node = c.socket = i / 4; }), {{}, {}, {}});
  tree.tell(0, 0, 100000, 90);
  tree.tell(2, 1, 17000, 250);
  const Machine m = Machine::from(tree.root());
  ASSERT_EQ(m.nodes.size(), 3U);
  const auto told = [&](std::size_t node) {
    return std::pair(m.nodes[node].firmware_gb_per_s, m.nodes[node].firmware_latency_ns);
  };
  EXPECT_EQ(told(0), std::pair(100.0, 90.0));
  EXPECT_EQ(told(1), std::pair(0.0, 0.0));
  EXPECT_EQ(told(2), std::pair(17.0, 250.0));
  const Machine again = topology::machine_from_json(topology::machine_to_json(m), "again");
  EXPECT_EQ(again.nodes[2].firmware_gb_per_s, 17.0);
  EXPECT_EQ(again.nodes[2].firmware_latency_ns, 250.0);
}

TEST(TwoDepths, TheInnerL3IsTheChipletInXml) {
  const Folder folder;
  const Machine m = Machine::from(folder.file("two.xml", xml_of("l3:2 l3:2 core:2 pu:1")));
  EXPECT_EQ(structure_error(m), "");
  EXPECT_EQ(m.chiplets.size(), 4U);
}

TEST(TwoDepths, TheInnerL3IsTheChipletInSysfsAlsoWhereOnlySomeCoresHaveOne) {
  const SysfsTree tree(sysfs_cpus(8, [](int, SysfsCpu& c) { c.l3 = 0; }), {{}});
  for (int cpu = 0; cpu < 4; ++cpu)
    tree.replace("cpu" + std::to_string(cpu) + "/cache/index3/shared_cpu_map", "0000000f");
  const Machine m = Machine::from(tree.root());
  EXPECT_EQ(structure_error(m), "");
  EXPECT_EQ(m.chiplets.size(), 2U);
  EXPECT_EQ(cpus_of(m, 0), range(0, 3));
  EXPECT_TRUE(has_note(m, "Cpus 4-7 are told of the L3 cache otherwise than those that share it"));
}

TEST(TwoDepths, TheInnerL3IsTheChipletInCharmTopology) {
  setenv("CHARM_TOPOLOGY", "l3:2 l3:2 core:2 pu:1", 1);
  const Machine m = Machine::discover();
  unsetenv("CHARM_TOPOLOGY");
  EXPECT_EQ(m.chiplets.size(), 4U);
}

TEST(Synthetic, PlainStringsAreCountedOutAsHwlocDoes) {
  std::mt19937 random(20261122);
  const auto up_to = [&](unsigned most) { return static_cast<int>(1 + random() % most); };
  const char* kinds[] = {"group", "pack", "die", "numa", "l4", "l3", "l3", "l2", "l1", "core"};
  int counted = 0;
  for (int trial = 0; trial < 300; ++trial) {
    std::string text;
    for (const char* kind : kinds) {
      // hwloc loses the size of two caches of one kind with the same cpus.
      const bool again = text.find("l3:") != std::string::npos && std::string(kind) == "l3";
      if (random() % 2 == 0) text += std::string(kind) + ":" + std::to_string(again ? 2 : up_to(3)) + " ";
    }
    text += "pu:" + std::to_string(up_to(3));
    const auto plain = topology::plain_synthetic(text);
    if (!plain) continue;
    ++counted;
    const topology::HwlocHandle handle = topology::load_synthetic(text);
    ASSERT_NE(handle, nullptr) << text;
    topology::Survey told = topology::survey_of(handle.get(), "synthetic:" + text);
    for (auto& node : told.nodes) node.kind.clear();  // newer versions guess one
    told.arm = plain->arm;                            // hwloc tells this machine's
    EXPECT_TRUE(topology::survey_text(*plain) == topology::survey_text(told)) << text;
  }
  EXPECT_GT(counted, 200);
}

TEST(Synthetic, ManyCpusNeedNoHwloc) {
  const Machine m = Machine::from("pack:8 l3:64 core:64 pu:2");
  EXPECT_EQ(m.allowed_cpus.size(), 65536U);
  EXPECT_EQ(m.chiplets.size(), 512U);
}

TEST(Wire, ASurveyIsReadBackAsItWasWritten) {
  for (const char* file : {"Intel-SapphireRapids-2xXeonMax9460.xml", "128arm-2pa2n8cluster4co.xml"}) {
    const topology::Survey survey = topology::survey_file(topology_file(file));
    std::string problem;
    const auto again = topology::survey_from_text(topology::survey_text(survey), problem);
    ASSERT_TRUE(again) << problem;
    EXPECT_EQ(topology::survey_text(*again), topology::survey_text(survey));
  }
}

TEST(Wire, WhatContradictsItselfIsRefused) {
  const auto good = *topology::plain_synthetic("pack:2 l3:2 core:2 pu:1");
  EXPECT_EQ(topology::contradiction_in(good), "");
  const auto wrong = [&](auto change) {
    topology::Survey survey = good;
    change(survey);
    return topology::contradiction_in(survey);
  };
  EXPECT_NE(wrong([](auto& s) { s.cores[1].l3 = 4; }), "");
  EXPECT_NE(wrong([](auto& s) { s.cores[1].cpus = CpuSet{0}; }), "");
  EXPECT_NE(wrong([](auto& s) { s.cores[1].cpus = CpuSet{99}; }), "");
  EXPECT_NE(wrong([](auto& s) { s.cores[1].socket = 2; }), "");
  EXPECT_NE(wrong([](auto& s) { s.cores.clear(); }), "");
  EXPECT_NE(wrong([](auto& s) { s.node_distance = {{1, 2}}; }), "");
  EXPECT_NE(wrong([](auto& s) { s.node_distance = {{1, 2}, {3}}; }), "");
  for (const double number : {-1.0, std::nan(""), HUGE_VAL}) {
    EXPECT_NE(wrong([&](auto& s) { s.nodes[0].gb_per_s = number; }), "") << number;
    EXPECT_NE(wrong([&](auto& s) { s.nodes[0].latency_ns = number; }), "") << number;
    EXPECT_NE(wrong([&](auto& s) { s.node_distance.assign(s.nodes.size(), std::vector(s.nodes.size(), number)); }), "");
  }
  EXPECT_NE(wrong([](auto& s) { s.nodes[0].os_index = -1; }), "");
  EXPECT_NE(wrong([](auto& s) { s.nodes[0].socket = 2; }), "");
  EXPECT_NE(wrong([](auto& s) { s.nodes.push_back(s.nodes[0]); }), "") << "twice";
  std::string problem;
  const std::string text = topology::survey_text(good);
  for (std::size_t cut = 0; cut < text.size(); cut += 7)
    EXPECT_FALSE(topology::survey_from_text(text.substr(0, cut), problem)) << cut;
}

/// Ids are positions and everything nests, or the machine is none.
TEST(Wire, AMachineWhoseIdsDoNotFitIsRefused) {
  const auto good =
      nlohmann::json::parse(topology::machine_to_json(Machine::from("pack:2 [numa] l3:2 core:2 pu:2")).dump());
  EXPECT_NO_THROW((void)topology::machine_from_json(good, "m"));
  const std::vector<std::pair<const char*, const char*>> all = {{"/cores/1/id", "0"},
                                                                {"/cores/1/chiplet", "4"},
                                                                {"/cores/1/chiplet", "-1"},
                                                                {"/cores/1/node", "2"},
                                                                {"/cores/1/socket", "2"},
                                                                {"/cores/1/siblings", "[]"},
                                                                {"/cores/1/cpu", "99"},
                                                                {"/cores/1/capacity", "0"},
                                                                {"/cores/1/capacity", "-1"},
                                                                {"/chiplets/0/id", "1"},
                                                                {"/chiplets/0/cores", "[9]"},
                                                                {"/chiplets/0/cores", "[]"},
                                                                {"/chiplets/0/node", "2"},
                                                                {"/chiplets/0/socket", "-1"},
                                                                {"/nodes/1/id", "0"},
                                                                {"/nodes/1/socket", "2"},
                                                                {"/nodes/1/socket", "-2"},
                                                                {"/sockets/0/id", "1"},
                                                                {"/sockets/0/nodes", "[7]"},
                                                                {"/sockets/0/chiplets", "[4]"},
                                                                {"/cores", "[]"},
                                                                {"/chiplets", "[]"},
                                                                {"/nodes", "[]"},
                                                                {"/sockets", "[]"},
                                                                {"/chiplets/0/cores", "[0, 1, 2]"},
                                                                {"/node_distance", "[[1]]"},
                                                                {"/node_distance", "[[1, 2], [3]]"}};
  for (const auto& [pointer, value] : all) {
    nlohmann::json broken = good;
    broken[nlohmann::json::json_pointer(pointer)] = nlohmann::json::parse(value);
    EXPECT_THROW((void)topology::machine_from_json(broken, "m"), Error) << pointer << " = " << value;
  }
}

TEST(Foreign, ANumberThatWouldFillMemoryIsNamed) {
  std::string xml = content(topology_file("AMD-1Ah-Zen5StrixPoint-RyzenAI9HX370.xml"));
  const std::string name = "type=\"PU\" os_index=\"";
  const auto at = xml.find(name);
  ASSERT_NE(at, std::string::npos);
  for (const char* number : {"-5", "4294967290", "99999999999999999999", "x"}) {
    std::string bad = xml;
    bad.replace(at + name.size(), bad.find('"', at + name.size()) - at - name.size(), number);
    const Folder folder;
    const std::string said = judged(folder.file("machine.xml", bad));
    EXPECT_TRUE(has(said, "'" + std::string(number) + "'") && has(said, "os_index")) << said;
  }
}

TEST(Foreign, OtherObjectsMayHaveAnyNumber) {
  std::string xml = content(topology_file("128arm-2pa2n8cluster4co.xml"));
  const std::string name = "type=\"Package\" os_index=\"";
  const auto at = xml.find(name);
  ASSERT_NE(at, std::string::npos);
  xml.replace(at + name.size(), xml.find('"', at + name.size()) - at - name.size(), "2147483646");
  const Folder folder;
  EXPECT_EQ(judged(folder.file("machine.xml", xml)), "");
}

TEST(Foreign, DevicesAndPipesThatNeverEndAreRefused) {
  EXPECT_TRUE(has(judged("/dev/zero"), "is a device"));
  EXPECT_TRUE(has(judged("/dev/urandom"), "is a device"));
}

TEST(Foreign, HwlocsOwnVariablesDoNotChangeADescription) {
  setenv("HWLOC_XMLFILE", topology_file("Intel-KnightsLanding-XeonPhi-7210.xml").c_str(), 1);
  const SysfsTree tree(eight(), {{}});
  const Machine from_tree = Machine::from(tree.root());
  const Machine from_file = Machine::from(topology_file("AMD-19h-Zen3-2xEpyc-7763.xml"));
  const Machine from_variable = Machine::from("pack:1 l3:2(size=1MB) core:2 pu:1");
  const Machine here = Machine::discover();
  unsetenv("HWLOC_XMLFILE");
  EXPECT_EQ(from_tree.cores.size(), 8U);
  EXPECT_EQ(from_file.cores.size(), 128U);
  EXPECT_EQ(from_variable.cores.size(), 4U);
  EXPECT_EQ(here.cores.size(), 64U);
  EXPECT_FALSE(here.is_live());
}

TEST(Foreign, NothingIsLeftInTheEnvironment) {
  unsetenv("HWLOC_HIDE_ERRORS");
  (void)Machine::from(topology_file("AMD-19h-Zen3-2xEpyc-7763.xml"));
  (void)topology::survey_live();
  EXPECT_EQ(std::getenv("HWLOC_HIDE_ERRORS"), nullptr);
  EXPECT_EQ(std::getenv("HWLOC_FSROOT"), nullptr);
}

TEST(Sysfs, ATreeWithoutTopologyIsNotThisMachine) {
  const SysfsTree tree(eight(), {{}});
  for (int cpu = 0; cpu < 8; ++cpu) tree.remove("cpu" + std::to_string(cpu) + "/topology");
  EXPECT_TRUE(has(judged(tree.root()), "has no topology"));
  const SysfsTree no_masks(eight(), {{}});
  for (int cpu = 0; cpu < 8; ++cpu) {
    for (const char* name : {"core_cpus", "thread_siblings", "package_cpus", "core_siblings"})
      no_masks.remove("cpu" + std::to_string(cpu) + "/topology/" + name);
  }
  EXPECT_TRUE(has(judged(no_masks.root()), "has no topology"));
  const SysfsTree no_cpus(eight(), {{}});
  for (int cpu = 0; cpu < 8; ++cpu) no_cpus.remove("cpu" + std::to_string(cpu));
  EXPECT_TRUE(has(judged(no_cpus.root()), "has no topology"));
}

TEST(Sysfs, AnEmptyFolderOfNodesIsAnErrorAndEndsNothing) {
  const SysfsTree tree(eight(), {{}});
  tree.remove("node/online");
  tree.remove("node0");
  std::filesystem::remove_all(tree.root() + "/sys/devices/system/node");
  std::filesystem::create_directories(tree.root() + "/sys/devices/system/node");
  EXPECT_TRUE(has(judged(tree.root()), "without any node in it"));
}

TEST(Sysfs, AnotherLevelOfTheTreeNamesTheRightOne) {
  const SysfsTree tree(eight(), {{}});
  for (const char* level : {"/sys", "/sys/", "/sys/devices", "/sys/devices/system", "/sys/devices/system/cpu",
                            "/sys/devices/system/cpu/cpu0", "/proc", "/sys/devices/system/cpu/cpu0/topology"}) {
    const std::string said = judged(tree.root() + level);
    EXPECT_TRUE(has(said, "name '" + tree.root() + "'")) << level << ": " << said;
  }
  const Folder outer;
  std::filesystem::create_directory_symlink(tree.root(), outer.path("inner"));
  EXPECT_TRUE(has(judged(outer.path()), "name '" + outer.path("inner") + "'"));
  const Folder nothing;
  EXPECT_TRUE(has(judged(nothing.path()), "is a directory without sys/devices/system/cpu"));
}

TEST(Sysfs, APipeOrDeviceInTheTreeIsNamedAndNotRead) {
  for (const char* name : {"proc/cpuinfo", "sys/devices/system/cpu/cpu3/topology/core_cpus",
                           "sys/devices/system/cpu/cpu0/cache/index3/size", "sys/devices/system/node/node0/cpumap"}) {
    const SysfsTree tree(eight(), {{}});
    const std::string path = tree.root() + "/" + name;
    std::filesystem::remove(path);
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    EXPECT_TRUE(has(judged(tree.root()), path)) << judged(tree.root());
    std::filesystem::remove(path);
    std::filesystem::create_symlink("/dev/zero", path);
    EXPECT_TRUE(has(judged(tree.root()), path)) << judged(tree.root());
  }
}

struct Damage {
  const char* what;
  void (*make)(const SysfsTree& tree);
  const char* note;
};

TEST(Sysfs, DistancesThatCannotBeAreNotUsed) {
  const SysfsTree tree(sysfs_cpus(8, [](int i, SysfsCpu& c) { c.l3 = i / 4, c.node = i / 4; }), {{}, {}});
  EXPECT_FALSE(Machine::from(tree.root()).node_distance.empty());
  tree.replace("node0/distance", "10 -5");
  EXPECT_TRUE(Machine::from(tree.root()).node_distance.empty());
}

TEST(Sysfs, AnEmptyListOfCpusIsNotTakenForOneCpu) {
  const SysfsTree tree(sysfs_cpus(8, [](int i, SysfsCpu& c) { c.l3 = i / 4; }), {{}});
  tree.replace("online", "");
  const std::string said = judged(tree.root());
  EXPECT_TRUE(has(said, "sys/devices/system/cpu/online, which is no list") && has(said, "copy")) << said;
}

TEST(Sysfs, WhatIsDamagedIsNoted) {
  const Damage all[] = {
      {"no topology", [](const SysfsTree& t) { t.remove("cpu3/topology"); }, "Cpu 3 is online without topology"},
      {"no folder", [](const SysfsTree& t) { t.remove("cpu3"); }, "Cpu 3 is online without a directory"},
      {"core mask", [](const SysfsTree& t) { t.replace("cpu3/topology/core_cpus", "zz"); }, "who shares the core"},
      {"core mask of another", [](const SysfsTree& t) { t.replace("cpu3/topology/core_cpus", "00000001"); },
       "otherwise than those that share it"},
      {"no core mask",
       [](const SysfsTree& t) {
         t.remove("cpu3/topology/core_cpus");
         t.remove("cpu3/topology/thread_siblings");
       },
       "unknown who shares the core"},
      {"no package mask",
       [](const SysfsTree& t) {
         t.remove("cpu3/topology/package_cpus");
         t.remove("cpu3/topology/core_siblings");
       },
       "unknown who shares the socket"},
      {"no L3 mask", [](const SysfsTree& t) { t.remove("cpu3/cache/index0/level"); }, "without its level"},
      {"no size", [](const SysfsTree& t) { t.replace("cpu3/cache/index3/size", "0K"); },
       "Cpu 3 is told of a cache without its size"},
      {"L3 mask", [](const SysfsTree& t) { t.replace("cpu3/cache/index3/shared_cpu_map", "000000ff"); },
       "told of the L3 cache otherwise"},
      {"online", [](const SysfsTree& t) { t.replace("online", "0-"); }, "is no list"},
      {"node without cpus", [](const SysfsTree& t) { t.remove("node0/cpumap"); }, "which cpus are near to"},
      {"node gone", [](const SysfsTree& t) { t.replace("node/online", "0-2"); }, "NUMA nodes 2 are online"},
      {"two nodes", [](const SysfsTree& t) { t.replace("node1/cpumap", "000000f8"); }, "in several NUMA nodes"},
      {"no node", [](const SysfsTree& t) { t.replace("node1/cpumap", "000000e0"); }, "in no NUMA node"},
      {"distances", [](const SysfsTree& t) { t.replace("node1/distance", "20"); }, "The distances of NUMA nodes 1"},
      {"no distances", [](const SysfsTree& t) { t.replace("node1/distance", "20 -5"); },
       "The distances of NUMA nodes 1"},
      {"size of a cache", [](const SysfsTree& t) { t.replace("cpu3/cache/index3/size", "99999999999999999999K"); },
       "Cpu 3 is told of a cache that is larger than any"},
  };
  const auto cpus = sysfs_cpus(8, [](int i, SysfsCpu& c) { c.l3 = i / 4, c.node = i / 4; });
  EXPECT_TRUE(Machine::from(SysfsTree(cpus, {{}, {}}).root()).notes.empty());
  for (const Damage& damage : all) {
    const SysfsTree tree(cpus, {{}, {}});
    damage.make(tree);
    std::string notes;
    try {
      const Machine m = Machine::from(tree.root());
      EXPECT_EQ(structure_error(m), "") << damage.what;
      for (const auto& note : m.notes) notes += note + '\n';
    } catch (const Error& error) {
      notes = error.what();
    }
    EXPECT_TRUE(has(notes, damage.note)) << damage.what << ": " << notes;
  }
}

}  // namespace
