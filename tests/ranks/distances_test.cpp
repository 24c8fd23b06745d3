// How far ranks are from each other, and in which order they are asked for work.
#include "ranks/distances.hpp"

#include <gtest/gtest.h>

namespace charm::remote {
namespace {

TEST(RankDistances, FollowHostCacheNodeAndSocket) {
  Machine machine = Machine::from("pack:2 numa:2 l3:2 core:2 pu:1");
  ASSERT_EQ(machine.nodes.size(), 4U);
  machine.node_distance = {{10, 12, 32, 32}, {12, 10, 32, 32}, {32, 32, 10, 12}, {32, 32, 12, 10}};
  const auto node = [&](std::size_t n) { return machine.nodes[n].os_index; };
  const std::vector<RankPlace> ranks = {{1, 100, node(0)}, {2, 100, node(0)}, {1, 104, node(2)},
                                        {1, 102, node(1)}, {1, 101, node(0)}, {1, 100, node(0)}};
  const std::vector<double> from_first = distances_from(machine, ranks, 0);
  EXPECT_EQ(from_first, (std::vector<double>{0, other_host, 6.2, 3, 2, 1}));
  EXPECT_EQ(order_by_distance(from_first, 0), (std::vector<int>{5, 4, 3, 2, 1}));
  for (std::size_t a = 0; a < ranks.size(); ++a) {
    for (std::size_t b = 0; b < ranks.size(); ++b)
      EXPECT_EQ(distance_between(machine, ranks[a], ranks[b]), distance_between(machine, ranks[b], ranks[a]));
  }
}

TEST(RankDistances, EquallyNearRanksFollowInNumber) {
  const std::vector<double> far = {1, 1, 0, 1};
  EXPECT_EQ(order_by_distance(far, 2), (std::vector<int>{3, 0, 1}));
}

TEST(RankDistances, WithoutCachesAndDistancesTheNodeIsLeft) {
  const Machine machine = Machine::from("pack:1 core:2 pu:1");
  EXPECT_EQ(distance_between(machine, {1, 0, 0}, {1, 0, 0}), 2);
  EXPECT_EQ(distance_between(machine, {1, 0, 0}, {1, 0, 7}), 4);  // a node that this rank does not know
}

}  // namespace
}  // namespace charm::remote
