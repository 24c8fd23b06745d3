// Kernel: triangle counting. Returns the number of triples of vertices that are all joined, each counted once.
#pragma once

#include <cstdint>

#include "workloads/graph/csr.hpp"

namespace charm::workloads {

/// \param graph undirected. \throws Error (bad_input) for a directed one.
template <Executor E>
std::uint64_t triangles(E& e, const CsrGraph& graph);

}  // namespace charm::workloads
