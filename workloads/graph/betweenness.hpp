// Kernel: betweenness centrality, approximated from some sources. Returns a score for every vertex: the sum over the
// sources s and all targets t of the share of the shortest paths from s to t that lead through the vertex or begin in
// it, divided by the largest such sum. Every edge has length 1. That is the score of the GAP benchmark suite, which
// counts a source's own paths, too.
#pragma once

#include <span>

#include "workloads/graph/csr.hpp"

namespace charm::workloads {

/// \throws Error (bad_input) where the numbers of paths to two vertices that are equally far from a source differ by
/// more than the range of a long double.
template <Executor E>
Array<float> betweenness(E& e, const CsrGraph& graph, std::span<const Vertex> sources);

}  // namespace charm::workloads
