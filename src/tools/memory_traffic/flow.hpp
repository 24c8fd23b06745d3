// Which part of a block each memory shall hold, for a reader at the root of a memory access tree: TAPMM Algorithm 1 as
// it is printed, and exactly.
//
// Reading S bytes takes as long as the slowest edge needs (TAPMM eq. 1): the block is read at
//   rate(w) = min over edges e of  gb_per_s(e) / (share of the block behind e).
// No weights do better than the tree's maximum flow F(root), with F(leaf) = its bandwidth and
// F(v) = min(bandwidth of v, sum of F over the children). proportional() and nearest_first() reach it.
//
// The paper as printed differs: its last line returns Max(b_sum, bottleneck) where Min is meant, so that a bus counts
// as fully loaded although the memories behind it are slower. On a symmetric Kunpeng 920 that gives 120 of 160 GB/s.
#pragma once

#include <vector>

#include "tools/memory_traffic/tree.hpp"

namespace charm::memory_traffic {

/// By index in Model::memories. Not negative; normalised() ones sum to 1.
using Weights = std::vector<double>;

/// Algorithm 1 ("Refresh") as printed: the array W, which is in GB/s. The else belongs to "if children_num > 0".
Weights printed(const AccessTree& tree);

/// F(root).
double max_flow(const AccessTree& tree);

/// A maximum flow, bottom up: where the children of a vertex give more than its edge carries, all behind it is scaled
/// down by the same factor. GB/s.
Weights proportional(const AccessTree& tree);

/// Water-filling: the memories in the order of their latency, each as much as the edges on its way have left, until
/// `demand_gb_per_s` is met. The sets of memories behind the edges are nested or disjoint, so the greedy choice carries
/// min(demand, F(root)), and no choice that carries as much has less latency. Memories of equal latency share in
/// proportion. GB/s.
Weights nearest_first(const AccessTree& tree, double demand_gb_per_s = unlimited);

/// GB/s at which a block of these weights is read; 0 where the sum of the weights is.
double rate(const AccessTree& tree, const Weights& weights);

/// With the sum 1; all equal where the sum is 0, since then no memory is better than another.
Weights normalised(Weights weights);

}  // namespace charm::memory_traffic
