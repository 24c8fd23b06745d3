// Kernel: single-source shortest paths. Returns every vertex's distance from the source over out-edges with weights >=
// 0; what cannot be reached has `unreached`.
#pragma once

#include "workloads/graph/csr.hpp"

namespace charm::workloads {

using Distance = std::uint32_t;
constexpr Distance unreached = 4294967295U;

/// The logarithm of the width of a bucket: `delta` rounded down to a power of two. For 0 it is chosen from the graph:
/// twice the largest weight over the degree of the vertices that edges lead to, so that about two edges of a vertex
/// lead into its own bucket. Below a hundredth of the largest weight a bucket gains little from being narrower.
int bucket_shift(const CsrGraph& graph, const Weights& weights, int delta);

/// `delta` as above.
template <Executor E>
Array<Distance> sssp(E& e, const CsrGraph& graph, const Weights& weights, Vertex source, int delta);

}  // namespace charm::workloads
