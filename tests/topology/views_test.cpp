// What several sources say of one machine, held against each other: sysfs trees, recorded CPUID leaves and profiles of
// other machines and hypervisors.
#include <charm/error.hpp>
#include <charm/machine.hpp>

#include <algorithm>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tools/cli/topo.hpp"
#include "tools/machine_view/difference.hpp"
#include "tools/machine_view/gathering.hpp"
#include "topology/cpuid_dump.hpp"
#include "topology/machine_checks.hpp"
#include "topology/sysfs_tree.hpp"

using namespace charm;
using namespace charm::machine_view;
using namespace charm::test;

namespace {

template <typename ShapeOf>
std::vector<SysfsCpu> cpus(int count, ShapeOf shape) {
  return sysfs_cpus(count, shape);
}

bool says(const std::vector<std::string>& texts, const std::string& part) {
  return std::any_of(texts.begin(), texts.end(), [&](const auto& t) { return t.find(part) != std::string::npos; });
}

bool disagrees(const Views& views, const std::string& level, const std::string& part) {
  return std::any_of(views.disagreements.begin(), views.disagreements.end(),
                     [&](const Disagreement& d) { return d.level == level && d.text.find(part) != std::string::npos; });
}

Views seen(const SysfsTree& tree) { return gather({tree.root(), "off", {}}); }

TEST(SysfsView, ATreeOfAnotherMachineIsReadLikeThisOne) {
  const SysfsTree tree(cpus(16, [](int i, SysfsCpu& c) { c.socket = i / 8, c.node = i / 8, c.l3 = i / 4; }), {{}, {}});
  const Views views = seen(tree);
  EXPECT_EQ(structure_error(views.machine), "");
  EXPECT_EQ(views.machine.origin, "sysfs:" + tree.root());
  EXPECT_EQ(views.machine.chiplets.size(), 4U);
  EXPECT_EQ(views.machine.sockets.size(), 2U);
  EXPECT_EQ(views.machine.nodes.size(), 2U);
  ASSERT_EQ(views.views.size(), 1U);
  EXPECT_EQ(views.views[0].chiplets.size(), 4U);
  EXPECT_TRUE(views.disagreements.empty());
  EXPECT_TRUE(views.features.empty());
}

TEST(SysfsView, UnequalChipletsAreTold) {
  const SysfsTree tree(cpus(12, [](int i, SysfsCpu& c) { c.l3 = i < 4 ? 0 : 1; }), {{}});
  EXPECT_TRUE(says(seen(tree).features, "unequal size: 4 to 8 cores"));
}

TEST(SysfsView, AStackedCacheIsTold) {
  const SysfsTree tree(cpus(16, [](int i, SysfsCpu& c) { c.l3 = i / 8, c.l3_kib = i < 8 ? 98304 : 32768; }), {{}});
  EXPECT_TRUE(says(seen(tree).features, "32 MiB to 96 MiB: 1 chiplet with a stacked cache"));
}

TEST(SysfsView, ALargerCacheIsNoStackedOne) {
  const SysfsTree tree(cpus(16, [](int i, SysfsCpu& c) { c.l3 = i / 8, c.l3_kib = i < 8 ? 16384 : 8192; }), {{}});
  EXPECT_TRUE(says(seen(tree).features, "8 MiB to 16 MiB."));
  EXPECT_FALSE(says(seen(tree).features, "stacked"));
}

TEST(SysfsView, KindsOfCoresAreTold) {
  const SysfsTree tree(cpus(8, [](int i, SysfsCpu& c) { c.l3 = 0, c.capacity = i < 4 ? 1024 : 512; }), {{}});
  const Views views = seen(tree);
  ASSERT_EQ(views.kinds.size(), 2U);
  EXPECT_EQ(views.kinds[0].cpus, range(4, 7));
  EXPECT_EQ(views.kinds[1].cpus, range(0, 3));
  EXPECT_TRUE(says(views.features, "2 kinds"));
  EXPECT_TRUE(says(views.features, "4 performance (cpus 0-3), 4 efficiency (cpus 4-7); the faster ones"));
}

TEST(SysfsView, MemoryWithoutCpusIsTold) {
  const SysfsTree tree(cpus(8, [](int, SysfsCpu& c) { c.l3 = 0; }), {{}, {2048}});
  EXPECT_TRUE(says(seen(tree).features, "Node 1 is memory without cpus, 2 GiB"));
}

TEST(SysfsView, OfflineCpusAreTold) {
  const SysfsTree tree(cpus(8, [](int i, SysfsCpu& c) { c.l3 = i / 4, c.online = i != 3; }), {{}});
  const Views views = seen(tree);
  EXPECT_EQ(views.machine.allowed_cpus.size(), 7U);
  EXPECT_TRUE(says(views.features, "1 cpu (3)"));
}

TEST(SysfsView, OneL3OverPackagesIsAnInvention) {
  const SysfsTree tree(cpus(8, [](int i, SysfsCpu& c) { c.socket = i / 4, c.l3 = 0; }), {{}});
  EXPECT_TRUE(disagrees(seen(tree), "chiplets", "one L3 over 2 sockets"));
}

TEST(SysfsView, AnL3OverTheClustersOfAnArmProcessorIsNoInvention) {
  // A phone: three packages that are clusters (2 + 4 + 2 cores), one L3, one NUMA node.
  const auto phone = cpus(8, [](int i, SysfsCpu& c) { c.socket = i < 2 ? 2 : i < 6 ? 0 : 1, c.l3 = 0; });
  const Views views = seen(SysfsTree(phone, {{}}, arm_cpuinfo));
  EXPECT_FALSE(disagrees(views, "chiplets", "invention"));
  EXPECT_EQ(views.machine.sockets.size(), 1U);
  EXPECT_EQ(views.machine.chiplets.size(), 1U);
  EXPECT_TRUE(has_note(views.machine, "3 packages of this Arm processor are clusters"));
  // The same on a processor whose package ids are sockets.
  EXPECT_TRUE(disagrees(seen(SysfsTree(phone, {{}})), "chiplets", "invention"));
}

TEST(SysfsView, MemoryOfAGpuIsNamed) {
  const auto power9 = cpus(8, [](int i, SysfsCpu& c) { c.node = i / 4; });
  SysfsTree tree(power9, {{}, {}}, "processor\t: 0\ncpu\t\t: POWER9, altivec supported\n");
  tree.replace("node/online", "0-1,254-255");
  for (const char* gpu : {"node254", "node255"}) {
    tree.replace(std::string(gpu) + "/cpumap", "00000000");
    tree.replace(std::string(gpu) + "/meminfo", std::string("Node ") + (gpu + 4) + " MemTotal: 16777216 kB");
  }
  const Views views = seen(tree);
  EXPECT_TRUE(says(views.features, "Nodes 254-255 are GPU memory without cpus, 16 GiB each"));
  const SysfsTree grace(cpus(8, [](int, SysfsCpu& c) { c.l3 = 0; }), {{}, {98304}},
                        "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd4f\n");
  EXPECT_TRUE(says(seen(grace).features, "Node 1 is GPU memory without cpus, 96 GiB"));
}

TEST(SysfsView, NoCachesAtAllAreNotTold) {
  const SysfsTree tree(cpus(8, [](int i, SysfsCpu& c) { c.node = i / 4; }), {{}, {}});
  const Views views = seen(tree);
  EXPECT_TRUE(views.views[0].chiplets.empty());
  EXPECT_EQ(views.machine.chiplets.size(), 2U);
}

topology::Survey zen_survey() { return topology::survey_processors(CpuidDump(zen(16)).folder()); }

TEST(Cpuid, AnAmdProcessorTellsCoresAndCachesButNoNodes) {
  const topology::Survey survey = zen_survey();
  ASSERT_EQ(survey.cores.size(), 8U);
  EXPECT_TRUE(survey.cores_known);
  EXPECT_EQ(survey.cores[1].cpus, range(2, 3));
  EXPECT_EQ(survey.cores[3].l3, 0);
  EXPECT_EQ(survey.cores[4].l3, 1);
  EXPECT_EQ(survey.l3_bytes, (std::vector<std::uint64_t>(2, 32U << 20)));
  EXPECT_EQ(survey.sockets, 1);
  EXPECT_EQ(survey.cores[7].node, -1);
}

TEST(Cpuid, AHybridIntelProcessorTellsItsKinds) {
  std::vector<CpuidLeaves> cpus;
  for (std::uint32_t apic = 0; apic < 4; ++apic) {
    CpuidLeaves leaves;
    leaves[{0, 0}] = {0x20, 0x756e6547, 0x6c65746e, 0x49656e69};  // GenuineIntel
    leaves[{1, 0}] = {0x906A3, apic << 24 | 4U << 16, 1U << 21, 1U << 28};
    leaves[{4, 0}] = {0x3 | 3U << 5 | 63U << 14, 63 | 11U << 22, 24575, 0};
    leaves[{7, 0}] = {0, 0, 0, 1U << 15};
    for (const std::uint32_t topology : {0xB, 0x1F}) {
      leaves[{topology, 0}] = {0, 1, 0x100, apic};
      leaves[{topology, 1}] = {6, 4, 0x201, apic};
    }
    leaves[{0x1A, 0}] = {(apic < 2 ? 0x40U : 0x20U) << 24, 0, 0, 0};
    leaves[{0x80000000, 0}] = {0x80000008, 0, 0, 0};
    cpus.push_back(std::move(leaves));
  }
  const CpuidDump dump(cpus);
  Sources sources;
  sources.processors = topology::survey_processors(dump.folder());
  const Views views = compare(Machine::from("core:4 pu:1"), sources);
  ASSERT_EQ(views.kinds.size(), 2U);
  EXPECT_EQ(views.kinds[0].name, "IntelAtom");
  EXPECT_EQ(views.kinds[0].cpus, range(2, 3));
  EXPECT_EQ(views.kinds[1].cpus, range(0, 1));
  ASSERT_EQ(views.views.size(), 1U);
  EXPECT_EQ(views.views[0].cores.size(), 4U);
  EXPECT_EQ(views.views[0].chiplets, (CpuGroups{range(0, 3)}));
}

TEST(Cpuid, ThisProcessorAnswersForEveryAllowedCpu) {
  const Views views = gather({"", "off", {}});
  const auto cpuid = std::find_if(views.views.begin(), views.views.end(), [](auto& v) { return v.source == "cpuid"; });
  if (cpuid == views.views.end()) GTEST_SKIP() << "no CPUID here";
  std::size_t cpus_there = 0;
  for (const auto& core : cpuid->cores) cpus_there += core.size();
  EXPECT_GE(cpus_there, views.machine.allowed_cpus.size());
  EXPECT_TRUE(cpuid->nodes.empty());
}

topology::Survey survey_of(const SysfsTree& tree) { return topology::survey_sysfs(tree.root()); }

TEST(Disagreement, ASystemThatHidesTheProcessorsChipletsIsShown) {
  // A guest: sysfs has one L3 over all, CPUID still has two.
  const SysfsTree tree(cpus(16, [](int i, SysfsCpu& c) { c.core = i / 2, c.l3 = 0; }), {{}});
  Sources sources;
  sources.system = survey_of(tree);
  sources.processors = zen_survey();
  sources.guest = true;
  const Views views = compare(Machine::from(tree.root()), sources);
  EXPECT_TRUE(disagrees(views, "chiplets", "system 1, cpuid 2"));
  EXPECT_TRUE(disagrees(views, "chiplets", "this hypervisor"));
  EXPECT_FALSE(disagrees(views, "cores", ""));
}

TEST(Disagreement, L3sThatAreCutByNodesAreShown) {
  const SysfsTree tree(cpus(16, [](int i, SysfsCpu& c) { c.core = i / 2, c.node = i / 4, c.l3 = i / 4; }),
                       {{}, {}, {}, {}});
  Sources sources;
  sources.system = survey_of(tree);
  sources.processors = zen_survey();
  const Views views = compare(Machine::from(tree.root()), sources);
  EXPECT_TRUE(disagrees(views, "chiplets", "system 4, cpuid 2"));
  EXPECT_FALSE(disagrees(views, "nodes", ""));
}

TEST(Disagreement, ASystemWithoutCachesIsShown) {
  const SysfsTree tree(cpus(16, [](int i, SysfsCpu& c) { c.core = i / 2; }), {{}});
  Sources sources;
  sources.system = survey_of(tree);
  sources.processors = zen_survey();
  EXPECT_TRUE(disagrees(compare(Machine::from(tree.root()), sources), "chiplets", "no last-level cache"));
}

TEST(Disagreement, WhatWasMeasuredIsHeldAgainstAll) {
  const SysfsTree tree(cpus(8, [](int, SysfsCpu& c) { c.l3 = 0; }), {{}});
  Sources sources;
  sources.system = survey_of(tree);
  sources.profile = topology::ProfilePicture{};
  sources.profile->cpus = range(0, 7).values();
  sources.profile->chiplets = {{0, 1, 2, 3}, {4, 5, 6, 7}};
  const Views views = compare(Machine::from(tree.root()), sources);
  EXPECT_TRUE(disagrees(views, "chiplets", "hides what the latencies show"));
  const std::string text = views_text(views, true, false);
  EXPECT_NE(text.find("measured"), std::string::npos);
  EXPECT_NE(text.find("! chiplets"), std::string::npos);
  const auto json = nlohmann::json::parse(views_json(views));
  EXPECT_EQ(json.at("views").size(), 2U);
  EXPECT_EQ(json.at("disagreements").at(0).at("level"), "chiplets");
  EXPECT_EQ(json.at("cores").size(), 8U);
}

TEST(Diff, EqualMachinesHaveNoneAndOthersAllTheirFacts) {
  const Machine a = Machine::from("pack:1 l3:2 core:4 pu:1");
  EXPECT_TRUE(differences(a, a).empty());
  const auto all = differences(a, Machine::from("pack:1 l3:1 core:8 pu:1"));
  EXPECT_TRUE(std::any_of(all.begin(), all.end(),
                          [](auto& d) { return d.what == "chiplets" && d.first == "2" && d.second == "1"; }));
}

TEST(Diff, TheCommandAnswersLikeDiff) {
  std::ostringstream same, other;
  cli::TopoOptions options;
  options.diff = {"pack:2 core:2 pu:1", "pack:2 core:2 pu:1"};
  EXPECT_EQ(cli::topo_command(options, same), 0);
  EXPECT_EQ(same.str(), "");
  options.diff[1] = "pack:2 core:4 pu:1";
  EXPECT_EQ(cli::topo_command(options, other), 1);
  EXPECT_NE(other.str().find("cores\n- 4\n+ 8\n"), std::string::npos);
}

TEST(Diff, TheFormsExcludeEachOther) {
  std::ostringstream out;
  cli::TopoOptions options;
  options.diff = {"pu:2", "pu:2"};
  options.from = "pu:2";
  EXPECT_THROW(cli::topo_command(options, out), Error);
}

}  // namespace
