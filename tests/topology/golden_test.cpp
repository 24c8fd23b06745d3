// Real machines, with expectations that were read off lstopo's drawing of each file.
#include <charm/machine.hpp>

#include <gtest/gtest.h>

#include "topology/machine_checks.hpp"

using namespace charm;
using namespace charm::test;

namespace {

constexpr std::uint64_t KiB = 1024;
constexpr std::uint64_t MiB = 1024 * KiB;

Machine load(const std::string& name) {
  Machine machine = Machine::from(topology_file(name));
  EXPECT_EQ(structure_error(machine), "");
  EXPECT_EQ(machine.origin, "xml:" + topology_file(name));
  EXPECT_FALSE(machine.is_live());
  EXPECT_EQ(machine.cpu_quota, 0);
  return machine;
}

struct Shape {
  std::size_t sockets, nodes, chiplets, cores, cpus;
  friend bool operator==(const Shape&, const Shape&) = default;
  friend void PrintTo(const Shape& s, std::ostream* out) {
    *out << s.sockets << " sockets, " << s.nodes << " nodes, " << s.chiplets << " chiplets, " << s.cores << " cores, "
         << s.cpus << " cpus";
  }
};

Shape shape(const Machine& m) {
  return {m.sockets.size(), m.nodes.size(), m.chiplets.size(), m.cores.size(), m.allowed_cpus.size()};
}

void expect_all_chiplets(const Machine& m, std::size_t cores, std::uint64_t l3_bytes, std::size_t threads) {
  for (const Chiplet& chiplet : m.chiplets) {
    EXPECT_EQ(chiplet.cores.size(), cores) << "chiplet " << chiplet.id;
    EXPECT_EQ(chiplet.l3_bytes, l3_bytes) << "chiplet " << chiplet.id;
  }
  for (const Core& core : m.cores) EXPECT_EQ(core.siblings.size(), threads) << "core " << core.id;
}

TEST(Golden, NaplesHasTwoCcxOfThreeCoresInEachOfItsEightNodes) {
  Machine m = load("AMD-17h-Zen-2xEpyc-7451.xml");
  EXPECT_EQ(m.name, "AMD EPYC 7451 24-Core Processor");
  EXPECT_EQ(shape(m), (Shape{2, 8, 16, 48, 96}));
  expect_all_chiplets(m, 3, 8 * MiB, 2);
  EXPECT_EQ(m.chiplet_source, ChipletSource::last_level_cache);
  for (int c = 0; c < 16; ++c) {
    EXPECT_EQ(cpus_of(m, c), ranges(3 * c, 3 * c + 2, 48 + 3 * c, 48 + 3 * c + 2));
    EXPECT_EQ(m.chiplets[static_cast<std::size_t>(c)].node, c / 2);
    EXPECT_EQ(m.chiplets[static_cast<std::size_t>(c)].socket, c / 8);
  }
  EXPECT_EQ(m.sockets[1].nodes, range<NodeSet>(4, 7));
  EXPECT_EQ(m.cores[47].siblings, (CpuSet{47, 95}));
  EXPECT_EQ(m.cores[0].l1d_bytes, 32 * KiB);
  EXPECT_EQ(m.cores[0].l2_bytes, 512 * KiB);
  EXPECT_TRUE(m.node_distance.empty());
  EXPECT_EQ(m.notes, std::vector<std::string>{"Memory sizes are unknown."});
}

TEST(Golden, MilanHasEightChipletsOfEightCoresInEachSocket) {
  Machine m = load("AMD-19h-Zen3-2xEpyc-7763.xml");
  EXPECT_EQ(shape(m), (Shape{2, 2, 16, 128, 128}));
  expect_all_chiplets(m, 8, 32 * MiB, 1);
  for (int c = 0; c < 16; ++c) EXPECT_EQ(cpus_of(m, c), range(8 * c, 8 * c + 7));
  EXPECT_EQ(m.sockets[0].chiplets, range<ChipletSet>(0, 7));
  EXPECT_EQ(m.sockets[1].chiplets, range<ChipletSet>(8, 15));
  EXPECT_EQ(m.nodes[1].cpus, range(64, 127));
  EXPECT_EQ(m.nodes[1].socket, 1);
}

TEST(Golden, GenoaHasTwelveChipletsOfEightCoresInEachSocketAndSiblingsFarAway) {
  Machine m = load("AMD-19h-Zen4-2xEpyc-9654.xml");
  EXPECT_EQ(shape(m), (Shape{2, 2, 24, 192, 384}));
  expect_all_chiplets(m, 8, 32 * MiB, 2);
  for (int c = 0; c < 24; ++c) EXPECT_EQ(cpus_of(m, c), ranges(8 * c, 8 * c + 7, 192 + 8 * c, 192 + 8 * c + 7));
  EXPECT_EQ(m.core_of_cpu(383)->id, 191);
  EXPECT_EQ(m.core_of_cpu(384), nullptr);
  EXPECT_EQ(m.cores[0].l2_bytes, MiB);
}

TEST(Golden, StrixPointHasTwoUnequalChipletsInOneNode) {
  Machine m = load("AMD-1Ah-Zen5StrixPoint-RyzenAI9HX370.xml");
  EXPECT_EQ(shape(m), (Shape{1, 1, 2, 12, 24}));
  EXPECT_EQ(m.chiplets[0].cores, range<CoreSet>(0, 3));
  EXPECT_EQ(m.chiplets[0].l3_bytes, 16 * MiB);
  EXPECT_EQ(m.chiplets[1].cores, range<CoreSet>(4, 11));
  EXPECT_EQ(m.chiplets[1].l3_bytes, 8 * MiB);
  EXPECT_EQ(cpus_of(m, 0), ranges(0, 3, 12, 15));
  EXPECT_EQ(m.cores[0].l1d_bytes, 48 * KiB);
}

TEST(Golden, KunpengClustersAreNoChipletsItsL3sAre) {
  Machine m = load("128arm-2pa2n8cluster4co.xml");
  EXPECT_EQ(m.name, "Huawei XA320 V2");
  EXPECT_EQ(shape(m), (Shape{2, 4, 4, 128, 128}));
  expect_all_chiplets(m, 32, 32 * MiB, 1);
  for (int c = 0; c < 4; ++c) EXPECT_EQ(cpus_of(m, c), range(32 * c, 32 * c + 31));
  EXPECT_EQ(m.nodes[0].bytes, 134894530560U);
  EXPECT_EQ(m.nodes[3].bytes, 134207905792U);
  EXPECT_EQ(m.node_distance,
            (std::vector<std::vector<double>>{{10, 16, 32, 33}, {16, 10, 25, 32}, {32, 25, 10, 16}, {33, 32, 16, 10}}));
  EXPECT_TRUE(m.notes.empty());
}

TEST(Golden, AnOpteronInACgroupShowsItsSixCpusAndTheMemoryOfTheOtherSockets) {
  Machine m = load("32amd64-4s2n4c-cgroup2.xml");
  EXPECT_EQ(shape(m), (Shape{3, 6, 2, 6, 6}));
  EXPECT_EQ(cpus_of(m, 0), range(0, 3));
  EXPECT_EQ(cpus_of(m, 1), range(4, 5));
  EXPECT_EQ(m.chiplets[0].l3_bytes, 5240832U);
  EXPECT_EQ(m.chiplets[1].l3_bytes, 5240832U);
  EXPECT_EQ(m.sockets[0].chiplets, range<ChipletSet>(0, 1));
  EXPECT_TRUE(m.sockets[1].chiplets.empty());
  EXPECT_EQ(m.sockets[2].nodes, range<NodeSet>(4, 5));
  for (int n = 2; n < 6; ++n) EXPECT_TRUE(m.nodes[static_cast<std::size_t>(n)].cpus.empty());
  EXPECT_EQ(m.nodes[5].bytes, 17179869184U);
  EXPECT_EQ(m.total.cpus, 32);
  EXPECT_EQ(m.total.nodes, 8);
  EXPECT_EQ(m.forbidden_cpus, range(6, 31));
  EXPECT_EQ(m.node_distance[0], (std::vector<double>{10, 16, 16, 22, 16, 22}));
  EXPECT_TRUE(has_note(m, "26 of 32 cpus (6-31) are hidden"));
}

TEST(Golden, KnightsLandingWithoutL3IsOneChipletAndSaysSo) {
  Machine m = load("Intel-KnightsLanding-XeonPhi-7210.xml");
  EXPECT_EQ(shape(m), (Shape{1, 1, 1, 64, 256}));
  EXPECT_EQ(m.chiplet_source, ChipletSource::numa_node);
  EXPECT_EQ(m.chiplets[0].l3_bytes, 0U);
  EXPECT_EQ(m.cores[1].siblings, (CpuSet{1, 65, 129, 193}));
  EXPECT_TRUE(has_note(m, "No usable L3"));
  EXPECT_TRUE(has_note(m, "the 2 cores that share an L2"));
}

TEST(Golden, XeonMaxHasOneChipletPerSocketAndANodeOverBoth) {
  Machine m = load("Intel-SapphireRapids-2xXeonMax9460.xml");
  EXPECT_EQ(shape(m), (Shape{2, 1, 2, 80, 160}));
  expect_all_chiplets(m, 40, 102236160, 2);
  EXPECT_EQ(m.chiplet_source, ChipletSource::last_level_cache);
  EXPECT_EQ(cpus_of(m, 1), ranges(40, 79, 120, 159));
  EXPECT_EQ(m.nodes[0].socket, -1);
  EXPECT_TRUE(m.sockets[0].nodes.empty());
  EXPECT_TRUE(has_note(m, "spans 2 sockets"));
}

}  // namespace
