// Kernel: connected components. Returns a label for every vertex: two vertices have the same one exactly if a path
// joins them, whatever the direction of its edges (weak components). A label is the number of one vertex of the
// component.
#pragma once

#include "workloads/graph/csr.hpp"

namespace charm::workloads {

template <Executor E>
Array<Vertex> components(E& e, const CsrGraph& graph);

}  // namespace charm::workloads
