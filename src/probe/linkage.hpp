// Average-linkage clustering of a symmetric matrix with holes: the tree of all groups that a latency matrix suggests.
// Which of its groups are real is decided in steps.hpp.
#pragma once

#include <vector>

namespace charm::probe {

/// Symmetric log latencies between items; NaN where unknown.
using Distances = std::vector<std::vector<double>>;

/// Nodes 0..n-1 are the items, n..2n-2 the merges in ascending order of creation; the last one is the root.
struct Tree {
  struct Node {
    int left = -1;
    int right = -1;
    std::vector<int> items;  // ascending
  };
  std::vector<Node> nodes;
  [[nodiscard]] const Node& root() const { return nodes.back(); }
};

/// The average runs over the pairs that are known; groups without a known pair between them merge last.
Tree average_linkage(const Distances& distances);

}  // namespace charm::probe
