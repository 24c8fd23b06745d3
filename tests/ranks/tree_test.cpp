// The tree of the ranks' common steps.
#include "ranks/tree.hpp"

#include <algorithm>
#include <cstddef>

#include <gtest/gtest.h>

namespace charm::remote {
namespace {

void expect_tree(const std::vector<int>& host) {
  const auto places = tree_of_ranks(host);
  ASSERT_EQ(places.size(), host.size());
  for (int rank = 0; rank < static_cast<int>(host.size()); ++rank) {
    const TreePlace& place = places[static_cast<std::size_t>(rank)];
    EXPECT_EQ(place.parent < 0, rank == 0);
    EXPECT_LT(place.parent, rank);
    std::vector<int> below = {rank};
    for (const int child : place.children) {
      EXPECT_EQ(places[static_cast<std::size_t>(child)].parent, rank);
      const auto& more = places[static_cast<std::size_t>(child)].below;
      below.insert(below.end(), more.begin(), more.end());
    }
    EXPECT_EQ(place.below, below);
  }
  std::vector<int> all = places[0].below;
  std::sort(all.begin(), all.end());
  for (std::size_t rank = 0; rank < all.size(); ++rank) EXPECT_EQ(all[rank], static_cast<int>(rank));
}

TEST(RankTree, HasEveryRankOnce) {
  for (int ranks = 1; ranks <= 33; ++ranks) {
    for (int hosts = 1; hosts <= ranks; ++hosts) {
      std::vector<int> together, in_turn;
      for (int rank = 0; rank < ranks; ++rank) {
        together.push_back(rank * hosts / ranks);
        in_turn.push_back(rank % hosts);
      }
      expect_tree(together);
      expect_tree(in_turn);
    }
  }
}

TEST(RankTree, CrossesTheNetworkOncePerHostAndWithTheDepthOfALogarithm) {
  constexpr int hosts = 16, each = 4;
  std::vector<int> host;
  for (int rank = 0; rank < hosts * each; ++rank) host.push_back(rank % hosts);
  const auto places = tree_of_ranks(host);
  const auto host_of = [&](int rank) { return host[static_cast<std::size_t>(rank)]; };
  int crossings = 0, deepest = 0;
  for (int rank = 0; rank < hosts * each; ++rank) {
    int depth = 0;
    for (int at = rank; at != 0; at = places[static_cast<std::size_t>(at)].parent)
      depth += host_of(at) != host_of(places[static_cast<std::size_t>(at)].parent) ? 1 : 0;
    deepest = std::max(deepest, depth);
    if (rank > 0) crossings += host_of(rank) != host_of(places[static_cast<std::size_t>(rank)].parent) ? 1 : 0;
  }
  EXPECT_EQ(crossings, hosts - 1);
  EXPECT_EQ(deepest, 4);
}

}  // namespace
}  // namespace charm::remote
