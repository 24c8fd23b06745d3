// Kernel: breadth-first search. Returns the parent of every vertex in a shortest-path tree from the source: the source
// is its own parent, and what cannot be reached has -1.
#pragma once

#include "workloads/graph/csr.hpp"

namespace charm::workloads {

template <Executor E>
Array<Vertex> bfs(E& e, const CsrGraph& graph, Vertex source);

}  // namespace charm::workloads
