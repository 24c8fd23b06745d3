// Kernel: single-source shortest paths. Returns every vertex's distance from the source over out-edges with weights >=
// 0; what cannot be reached has `unreached`.
#pragma once

#include "workloads/graph/csr.hpp"

namespace charm::workloads {

using Distance = std::uint32_t;
constexpr Distance unreached = 4294967295U;

/// `delta` is the width of a bucket, rounded down to a power of two; 0: from the weights and the mean degree.
template <Executor E>
Array<Distance> sssp(E& e, const CsrGraph& graph, const Weights& weights, Vertex source, int delta);

}  // namespace charm::workloads
