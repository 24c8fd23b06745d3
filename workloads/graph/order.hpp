// Other numberings of a graph's vertices. Kernels follow the numbers: which vertices lie in a cache line together, and
// how long the chains of their data structures become. An algorithm that is fast on a generator's numbering alone would
// prove little, so the kernels can be run on each of these.
#pragma once

#include <vector>

#include "workloads/executor/any.hpp"
#include "workloads/graph/csr.hpp"
#include "workloads/kernel_run.hpp"

namespace charm::workloads {

/// The new number of each vertex. Edges count in both directions. \param seed of the random order.
std::vector<Vertex> numbers_in(VertexOrder order, const CsrGraph& graph, std::uint64_t seed);

/// The same graph with vertex v as numbers[v].
CsrGraph renumbered(AnyExecutor e, const CsrGraph& graph, const std::vector<Vertex>& numbers);

}  // namespace charm::workloads
