// Writes a graph as the GAP benchmark suite reads it from its binary files (`-f FILE.sg`, with weights `.wsg`): so both
// run on the same vertices, edges, weights and sources.
#pragma once

#include <string>

#include "workloads/kernel_run.hpp"

namespace charm::workloads {

/// \param runner makes the weights if `weighted`. \throws Error (system) if it cannot be written.
void write_serialized(const Graph& graph, const Runner& runner, bool weighted, const std::string& path);

}  // namespace charm::workloads
