// Machines that lie, or that are merely unusual, written down as surveys.
#include <charm/error.hpp>

#include <gtest/gtest.h>

#include "topology/build.hpp"
#include "topology/machine_checks.hpp"
#include "topology/survey.hpp"

using namespace charm;
using namespace charm::test;
using charm::topology::build;
using charm::topology::Survey;

namespace {

constexpr std::uint64_t mebibyte = 1 << 20;

/// One core per entry, cpus in order; places are given by functions of the core's number.
template <typename L3, typename NodeOf, typename SocketOf>
Survey survey(int cores, int l3s, int nodes, int sockets, L3 l3, NodeOf node, SocketOf socket) {
  Survey s;
  s.origin = "test";
  s.sockets = sockets;
  s.l3_bytes.assign(static_cast<std::size_t>(l3s), 32 * mebibyte);
  for (int n = 0; n < nodes; ++n) {
    s.nodes.push_back({n, 1024 * mebibyte, -1});
    s.allowed_nodes.insert(n);
  }
  s.all_nodes = nodes;
  for (int c = 0; c < cores; ++c) {
    s.cores.push_back({{c}, l3(c), node(c), socket(c), 0, 0});
    s.all_cpus.insert(c);
  }
  s.allowed_cpus = s.all_cpus;
  return s;
}

Machine checked(Survey s) {
  Machine m = build(std::move(s));
  EXPECT_EQ(structure_error(m), "");
  return m;
}

TEST(Chiplets, AnL3OverAllSocketsIsNotBelieved) {
  Machine m =
      checked(survey(16, 1, 2, 2, [](int) { return 0; }, [](int c) { return c / 8; }, [](int c) { return c / 8; }));
  EXPECT_EQ(m.chiplets.size(), 2U);
  EXPECT_EQ(m.chiplet_source, ChipletSource::numa_node);
  EXPECT_EQ(m.chiplets[0].l3_bytes, 0U);
  EXPECT_TRUE(has_note(m, "span several sockets"));
}

TEST(Chiplets, AnL3OverSeveralNodesOfASocketIsSharedOutByCores) {
  Machine m =
      checked(survey(12, 1, 2, 1, [](int) { return 0; }, [](int c) { return c < 8 ? 0 : 1; }, [](int) { return 0; }));
  ASSERT_EQ(m.chiplets.size(), 2U);
  EXPECT_EQ(m.chiplet_source, ChipletSource::last_level_cache);
  EXPECT_NEAR(static_cast<double>(m.chiplets[0].l3_bytes), 32.0 * mebibyte * 8 / 12, 16);
  EXPECT_NEAR(static_cast<double>(m.chiplets[1].l3_bytes), 32.0 * mebibyte * 4 / 12, 16);
  EXPECT_TRUE(has_note(m, "span several NUMA nodes"));
}

TEST(Chiplets, CoresOutsideOfEveryL3AreOneChipletPerNode) {
  auto l3 = [](int c) { return c < 8 ? c / 4 : -1; };
  Machine m = checked(survey(12, 2, 1, 1, l3, [](int) { return 0; }, [](int) { return 0; }));
  ASSERT_EQ(m.chiplets.size(), 3U);
  EXPECT_EQ(m.chiplet_source, ChipletSource::last_level_cache);
  EXPECT_EQ(m.chiplets[2].cores, range<CoreSet>(8, 11));
  EXPECT_EQ(m.chiplets[2].l3_bytes, 0U);
  EXPECT_TRUE(has_note(m, "4 cores of 12 without usable L3"));
}

TEST(Chiplets, WithoutL3TheNodeStandsInAndWithoutNodesTheSocket) {
  auto none = [](int) { return -1; };
  Machine nodes = checked(survey(16, 0, 4, 2, none, [](int c) { return c / 4; }, [](int c) { return c / 8; }));
  EXPECT_EQ(nodes.chiplets.size(), 4U);
  EXPECT_EQ(nodes.chiplet_source, ChipletSource::numa_node);
  Machine sockets = checked(survey(16, 0, 1, 2, none, [](int) { return 0; }, [](int c) { return c / 8; }));
  EXPECT_EQ(sockets.chiplets.size(), 2U);
  EXPECT_EQ(sockets.chiplet_source, ChipletSource::socket);
  EXPECT_TRUE(has_note(sockets, "the cores of each socket"));
}

TEST(Chiplets, InterleavedCpuNumbersStillGiveNeighbouringIds) {
  // The even cores are in socket 0, the odd ones in socket 1, in the order in which the source happens to list them.
  auto odd = [](int c) { return c % 2; };
  Machine m = checked(survey(16, 4, 2, 2, [](int c) { return 2 * (c % 2) + c / 8; }, odd, odd));
  EXPECT_EQ(cpus_of(m, 0), (CpuSet{0, 2, 4, 6}));
  EXPECT_EQ(cpus_of(m, 1), (CpuSet{8, 10, 12, 14}));
  EXPECT_EQ(cpus_of(m, 2), (CpuSet{1, 3, 5, 7}));
  EXPECT_EQ(m.sockets[1].chiplets, range<ChipletSet>(2, 3));
}

TEST(Chiplets, ABoundaryThatCutsAChipletInAGuestIsTold) {
  // 24 cores in chiplets of 8, cut into nodes of 12.
  auto l3 = [](int c) { return c < 8 ? 0 : c < 12 ? 1 : c < 16 ? 2 : 3; };
  Machine m = checked(survey(24, 4, 2, 1, l3, [](int c) { return c / 12; }, [](int) { return 0; }));
  EXPECT_EQ(m.chiplets.size(), 4U);
  EXPECT_TRUE(has_note(m, "boundary may cut through a chiplet"));
  auto whole = [](int c) { return c / 6; };
  EXPECT_FALSE(
      has_note(checked(survey(24, 4, 2, 1, whole, [](int c) { return c / 12; }, [](int) { return 0; })), "cut"));
}

TEST(Chiplets, AnL3ForEveryCoreIsTold) {
  auto zero = [](int) { return 0; };
  EXPECT_TRUE(has_note(checked(survey(8, 8, 1, 1, [](int c) { return c; }, zero, zero)), "belongs to a single core"));
  EXPECT_FALSE(has_note(checked(survey(1, 1, 1, 1, zero, zero, zero)), "belongs to a single core"));
}

TEST(Chiplets, SocketsAndL3sThatAVirtualMachineInventsForEachCoreAreNotBelieved) {
  const auto own = [](int c) { return c; };
  const Machine m = checked(survey(16, 16, 1, 16, own, [](int) { return 0; }, own));
  EXPECT_EQ(m.sockets.size(), 1U);
  EXPECT_EQ(m.chiplets.size(), 1U);
  EXPECT_EQ(m.chiplet_source, ChipletSource::numa_node);
  ASSERT_EQ(m.doubts.size(), 1U);
  EXPECT_TRUE(has_note(m, "Each of the 16 cores is said to have a socket and an L3"));
}

TEST(Chiplets, WhatCannotBeIsADoubtAndWhatIsMerelyMissingIsNone) {
  const auto zero = [](int) { return 0; };
  EXPECT_EQ(checked(survey(8, 8, 1, 1, [](int c) { return c; }, zero, zero)).doubts.size(), 1U);
  EXPECT_TRUE(checked(survey(8, 0, 1, 1, [](int) { return -1; }, zero, zero)).doubts.empty());
}

TEST(Chiplets, AnL2ThatMoreThanAPairSharesIsTheLastCacheWhereThereIsNoL3) {
  const auto zero = [](int) { return 0; };
  const auto with_l2s = [&](int sharers, int l3s) {
    Survey s = survey(12, l3s, 1, 1, [&](int) { return l3s - 1; }, zero, zero);
    s.cores_per_l2 = sharers;
    for (std::size_t c = 0; c < s.cores.size(); ++c) {
      s.cores[c].l2 = static_cast<int>(c) / sharers;
      s.cores[c].l2_bytes = 12 * mebibyte;
    }
    return checked(s);
  };
  const Machine m = with_l2s(4, 0);
  EXPECT_EQ(m.chiplets.size(), 3U);
  EXPECT_EQ(m.chiplets[0].l3_bytes, 12 * mebibyte);
  EXPECT_EQ(m.chiplets[0].cache_level, 2);
  EXPECT_EQ(m.chiplet_source, ChipletSource::last_level_cache);
  EXPECT_EQ(with_l2s(2, 0).chiplets.size(), 1U) << "pairs";
  EXPECT_EQ(with_l2s(4, 1).chiplets.size(), 1U) << "behind an L3";
}

Survey with_clusters(int cores_per_cluster) {
  Survey s = survey(16, 0, 2, 2, [](int) { return -1; }, [](int c) { return c / 8; }, [](int c) { return c / 8; });
  for (std::size_t c = 0; c < s.cores.size(); ++c) s.cores[c].cluster = static_cast<int>(c) / cores_per_cluster;
  return s;
}

TEST(Chiplets, ClustersStandInWhereThereIsNoL3) {
  Machine m = checked(with_clusters(4));
  EXPECT_EQ(m.chiplets.size(), 4U);
  EXPECT_EQ(m.chiplet_source, ChipletSource::cluster);
  EXPECT_TRUE(has_note(m, "each cluster of cores"));
}

TEST(Chiplets, ClustersThatOnlyShareAnL2DoNotStandIn) {
  Survey s = with_clusters(4);
  s.cores_per_l2 = 4;
  EXPECT_EQ(checked(s).chiplet_source, ChipletSource::numa_node);
  EXPECT_EQ(checked(with_clusters(1)).chiplet_source, ChipletSource::numa_node);
}

TEST(Chiplets, OneClusterOfAllCoresTellsNothing) {
  Survey s = survey(8, 0, 1, 1, [](int) { return -1; }, [](int) { return 0; }, [](int) { return 0; });
  for (auto& core : s.cores) core.cluster = 0;
  EXPECT_NE(checked(s).chiplet_source, ChipletSource::cluster);
}

TEST(Chiplets, PairsOfCoresAreNoChiplets) {
  // Altra: clusters of two cores with an L2 each, and no L3 that is told.
  EXPECT_EQ(checked(with_clusters(2)).chiplet_source, ChipletSource::numa_node);
  EXPECT_EQ(checked(with_clusters(2)).chiplets.size(), 2U);
}

Survey phone(bool arm) {
  Survey s = survey(8, 1, 1, 3, [](int) { return 0; }, [](int) { return 0; }, [](int c) { return c < 4 ? 0 : c < 7; });
  for (std::size_t c = 7; c < 8; ++c) s.cores[c].socket = 2;
  s.arm = arm;
  return s;
}

TEST(Chiplets, PackagesOfAnArmProcessorBehindOneL3AreClustersOfOneSocket) {
  Machine m = checked(phone(true));
  EXPECT_EQ(m.sockets.size(), 1U);
  EXPECT_EQ(m.total.sockets, 1);
  EXPECT_EQ(m.chiplets.size(), 1U);
  EXPECT_EQ(m.chiplet_source, ChipletSource::last_level_cache);
  EXPECT_EQ(m.chiplets[0].l3_bytes, 32 * mebibyte);
  EXPECT_FALSE(has_note(m, "invention"));
  EXPECT_EQ(checked(phone(false)).sockets.size(), 3U);
}

TEST(Chiplets, TwoPackagesSufficeForThatAndTheirNodeStaysTheirs) {
  Survey s = survey(8, 1, 1, 2, [](int) { return 0; }, [](int) { return 0; }, [](int c) { return c / 4; });
  s.arm = true;
  s.nodes[0].socket = 0;
  Machine m = checked(s);
  EXPECT_EQ(m.sockets.size(), 1U);
  EXPECT_EQ(m.nodes[0].socket, 0);
  EXPECT_TRUE(has_note(m, "The 2 packages of this Arm processor are clusters behind one L3 cache"));
}

TEST(Chiplets, PackagesOfAnArmServerInNodesOfTheirOwnStaySockets) {
  Survey s = survey(16, 1, 2, 2, [](int) { return 0; }, [](int c) { return c / 8; }, [](int c) { return c / 8; });
  s.arm = true;
  EXPECT_EQ(checked(s).sockets.size(), 2U);
}

TEST(Chiplets, AnL3IsBelievedBeforeAnyCluster) {
  Survey s = survey(16, 2, 2, 2, [](int c) { return c / 8; }, [](int c) { return c / 8; }, [](int c) { return c / 8; });
  for (std::size_t c = 0; c < s.cores.size(); ++c) s.cores[c].cluster = static_cast<int>(c) / 4;
  Machine m = checked(s);
  EXPECT_EQ(m.chiplets.size(), 2U);
  EXPECT_EQ(m.chiplet_source, ChipletSource::last_level_cache);
}

TEST(Chiplets, WhatIsNotToldIsTakenAsOneAndNoted) {
  auto none = [](int) { return -1; };
  Survey s = survey(4, 0, 0, 0, none, none, none);
  s.cores_known = false;
  Machine m = checked(s);
  EXPECT_EQ(m.sockets.size(), 1U);
  EXPECT_EQ(m.nodes.size(), 1U);
  EXPECT_EQ(m.chiplets.size(), 1U);
  EXPECT_TRUE(has_note(m, "Cores cannot be told"));
  EXPECT_TRUE(has_note(m, "Sockets cannot be told"));
  EXPECT_TRUE(has_note(m, "No NUMA information"));
}

TEST(Chiplets, CoresOutsideOfSocketsAndNodesFindAPlace) {
  Survey s = survey(
      8, 2, 2, 1, [](int c) { return c / 4; }, [](int c) { return c < 4 ? 0 : -1; },
      [](int c) { return c < 4 ? 0 : -1; });
  Machine m = checked(s);
  EXPECT_EQ(m.sockets.size(), 2U);
  EXPECT_TRUE(has_note(m, "belong to no socket"));
  EXPECT_TRUE(has_note(m, "belong to no NUMA node"));
}

TEST(Nodes, WithCpusButWithoutMemoryAreNoted) {
  Survey s = survey(8, 2, 2, 1, [](int c) { return c / 4; }, [](int c) { return c / 4; }, [](int) { return 0; });
  s.nodes[1].bytes = 0;
  Machine m = checked(s);
  EXPECT_EQ(m.nodes[1].cpus, range(4, 7));
  EXPECT_TRUE(has_note(m, "NUMA node 1 has no memory of its own"));
  EXPECT_FALSE(has_note(m, "Memory sizes are unknown"));
}

TEST(Nodes, WithNeitherMemoryNorCpusAreLeftOutInOneNote) {
  // GB200: two sockets, and sixteen nodes for each GPU that may be divided, of which none is.
  Survey s = survey(8, 2, 34, 2, [](int c) { return c / 4; }, [](int c) { return c / 4; }, [](int c) { return c / 4; });
  for (std::size_t n = 2; n < 34; ++n) s.nodes[n].bytes = 0;
  Machine m = checked(s);
  EXPECT_EQ(m.nodes.size(), 2U);
  EXPECT_EQ(m.total.nodes, 34);
  EXPECT_TRUE(has_note(m, "NUMA nodes 2-33 have neither memory nor usable cpus"));
  EXPECT_LE(m.notes.size(), 2U);
}

TEST(Nodes, OneOrTwoThatAreLeftOutAreSpokenOfAsSuch) {
  for (const int empty : {1, 2}) {
    Survey s = survey(
        8, 2, 2 + empty, 2, [](int c) { return c / 4; }, [](int c) { return c / 4; }, [](int c) { return c / 4; });
    for (std::size_t n = 2; n < s.nodes.size(); ++n) s.nodes[n].bytes = 0;
    EXPECT_TRUE(has_note(checked(s), empty == 1
                                         ? "NUMA node 2 has neither memory nor usable cpus (places for the parts "
                                           "of a GPU, or for memory that is not there) and is left out."
                                         : "NUMA nodes 2-3 have neither memory nor usable cpus (places for the "
                                           "parts of a GPU, or for memory that is not there) and are left out."));
  }
}

TEST(Nodes, WithMemoryOnlyKeepTheirSocket) {
  Survey s = survey(8, 2, 3, 2, [](int c) { return c / 4; }, [](int c) { return c / 4; }, [](int c) { return c / 4; });
  s.nodes[2].socket = 1;
  Machine m = checked(s);
  ASSERT_EQ(m.nodes.size(), 3U);
  EXPECT_TRUE(m.nodes[2].cpus.empty());
  EXPECT_EQ(m.nodes[2].socket, 1);
  EXPECT_EQ(m.sockets[1].nodes, (NodeSet{1, 2}));
}

TEST(Nodes, WhoseMemoryIsForbiddenStayWhileTheirCpusAreAllowed) {
  Survey s = survey(8, 2, 2, 2, [](int c) { return c / 4; }, [](int c) { return c / 4; }, [](int c) { return c / 4; });
  s.allowed_nodes = {0};
  EXPECT_EQ(checked(s).nodes.size(), 2U);
  EXPECT_TRUE(has_note(checked(s), "memory of NUMA node 1 is forbidden"));
  s.allowed_cpus = range(0, 3);
  EXPECT_EQ(checked(s).nodes.size(), 1U);
}

TEST(Build, RefusesAMachineWithoutAUsableCpu) {
  auto zero = [](int) { return 0; };
  Survey s = survey(4, 1, 1, 1, zero, zero, zero);
  s.allowed_cpus = {17};
  EXPECT_THROW(build(s), Error);
}

}  // namespace
