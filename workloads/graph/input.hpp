// What a workloads::Graph holds: the graph, where it came from, and its weights once SSSP has asked for them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "workloads/graph/load.hpp"
#include "workloads/kernel_run.hpp"

namespace charm::workloads {

struct Graph::Data {
  Loaded loaded;
  Weights weights;
  std::optional<InputFile> file;           ///< none: generated
  std::optional<CsrGraph> both_ways;       ///< a directed graph's edges in both directions, once tc has asked for them
  std::optional<std::uint64_t> triangles;  ///< by another algorithm than the kernel's
  std::string name;
  std::uint64_t seed = 1;
};

/// The file's weights if SSSP can use them, else drawn ones.
const Weights& weights_of(Graph::Data& data, const Runner& runner);

/// The graph for kernels that need an undirected one.
const CsrGraph& undirected_of(Graph::Data& data, const Runner& runner);

}  // namespace charm::workloads
