// Distances grow with the hierarchy, and with the NUMA distance where the machine tells one.
#include <charm/machine.hpp>

#include <gtest/gtest.h>

#include "topology/build.hpp"
#include "topology/machine_checks.hpp"
#include "topology/survey.hpp"

using namespace charm;
using namespace charm::test;

namespace {

TEST(Distance, FollowsTheHierarchy) {
  Machine m = Machine::from("pack:2 numa:2 l3:2 core:2 pu:2");
  EXPECT_EQ(m.distance(0, 0), 0);
  EXPECT_EQ(m.distance(0, 1), 1);
  EXPECT_EQ(m.distance(0, 2), 2);
  EXPECT_EQ(m.distance(0, 4), 3);
  EXPECT_EQ(m.distance(0, 7), 3);
  EXPECT_GE(m.distance(0, 8), 4);
  EXPECT_THROW((void)m.distance(0, 16), std::out_of_range);
  EXPECT_THROW((void)m.distance(-1, 0), std::out_of_range);
}

TEST(Distance, IsSymmetricAndZeroOnlyToItself) {
  for (const char* file : {"128arm-2pa2n8cluster4co.xml", "Intel-SapphireRapids-2xXeonMax9460.xml"}) {
    Machine m = Machine::from(topology_file(file));
    const int n = static_cast<int>(m.cores.size());
    for (int a = 0; a < n; ++a) {
      for (int b = 0; b < n; ++b) {
        ASSERT_EQ(m.distance(a, b), m.distance(b, a));
        ASSERT_EQ(m.distance(a, b) == 0, a == b);
      }
    }
  }
}

TEST(Distance, FartherNodesOfAnotherSocketCostMore) {
  Machine m = Machine::from(topology_file("128arm-2pa2n8cluster4co.xml"));
  EXPECT_EQ(m.distance(0, 32), 3);                   // 16 in the firmware's table
  EXPECT_GT(m.distance(32, 64), m.distance(0, 32));  // 25
  EXPECT_GT(m.distance(0, 64), m.distance(32, 64));  // 32
  EXPECT_GT(m.distance(0, 96), m.distance(0, 64));   // 33
}

topology::Survey two_sockets(std::vector<std::vector<double>> distance) {
  topology::Survey s;
  s.origin = "test";
  s.sockets = 2;
  s.l3_bytes = {1 << 20, 1 << 20};
  s.nodes = {{0, 1, 0}, {1, 1, 1}};
  s.allowed_nodes = {0, 1};
  s.cores = {{{0}, 0, 0, 0, 0, 0}, {{1}, 1, 1, 1, 0, 0}};
  s.all_cpus = s.allowed_cpus = {0, 1};
  s.node_distance = std::move(distance);
  return s;
}

TEST(Distance, TablesAreScaledToTenForLocal) {
  EXPECT_EQ(build(two_sockets({{100, 210}, {210, 100}})).node_distance,
            (std::vector<std::vector<double>>{{10, 21}, {21, 10}}));
  EXPECT_TRUE(build(two_sockets({})).node_distance.empty());
  EXPECT_TRUE(build(two_sockets({{0, 0}, {0, 0}})).node_distance.empty());
}

TEST(Distance, PairsThatAreNotToldCountAsTheFarthest) {
  Machine m = build(two_sockets({{10, 40}, {0, 10}}));
  EXPECT_EQ(m.node_distance[1][0], 40);
  EXPECT_TRUE(has_note(m, "Some NUMA distances are unknown"));
}

TEST(Distance, AnotherSocketIsNeverNearerThanAnotherNodeEvenIfTheFirmwareSaysSo) {
  EXPECT_GE(build(two_sockets({{10, 10}, {10, 10}})).distance(0, 1), 4);
  EXPECT_GE(build(two_sockets({{20, 10}, {10, 20}})).distance(0, 1), 4);
}

TEST(Distance, OneNodeIsLocalToItself) {
  EXPECT_EQ(Machine::from("pack:1 l3:2 core:2 pu:1").node_distance, (std::vector<std::vector<double>>{{10}}));
}

}  // namespace
