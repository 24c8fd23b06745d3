// Stage 2: average-linkage clustering, which gives the tree of all groups that the distances suggest. Which of its
// groups are real, later stages decide.
#pragma once

#include "tools/probe/structure/distances.hpp"

namespace charm::probe {

/// Nodes 0..n-1 are the items, n..2n-2 the merges in order of creation; the last one is the root.
struct Tree {
  struct Node {
    int left = -1;
    int right = -1;
    Group items;
  };
  std::vector<Node> nodes;
  [[nodiscard]] int root() const { return static_cast<int>(nodes.size()) - 1; }
};

/// Groups without a known pair between them merge last.
Tree average_linkage(const Distances& distances);

}  // namespace charm::probe
