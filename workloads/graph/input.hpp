// What a workloads::Graph holds: the graph, where it came from, and its weights once SSSP has asked for them.
#pragma once

#include <cstdint>
#include <string>

#include "workloads/graph/load.hpp"
#include "workloads/kernel_run.hpp"

namespace charm::workloads {

struct Graph::Data {
  Loaded loaded;
  Weights weights;
  std::optional<InputFile> file;  ///< none: generated
  std::string name;
  std::uint64_t seed = 1;
};

/// The file's weights if SSSP can use them, else drawn ones.
const Weights& weights_of(Graph::Data& data, const Runner& runner);

}  // namespace charm::workloads
