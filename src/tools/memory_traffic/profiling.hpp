// Measuring a model (TAPMM §3.2): what memories and buses carry, from bandwidths that groups of cpus reach together.
// The measurement itself is an argument, so that tests can measure a machine that is a model.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/memory_traffic/model.hpp"

namespace charm::memory_traffic {

/// Nodes by OS number.
struct Prober {
  /// All cpus of some nodes read the memories of others, each the same part of each. GB/s together.
  std::function<double(const std::vector<int>& readers, const std::vector<int>& memories)> gb_per_s;
  /// One core of a node reads its nearest memory.
  std::function<double(int reader, int memory)> core_gb_per_s;
  std::function<double(int reader, int memory)> latency_ns;
  int cores_of_a_node = 0;  ///< the most that a node has
};

/// \param levels domains and memories of the machine, as model_of() gives them; their numbers are replaced. A bus that
/// carries what the memories behind it give is unlimited: it was never the bottleneck, and its real bandwidth is
/// higher. A bottleneck between two domains is put on the memories' side (`out`); `in` stays unlimited.
/// \param doing is called with what comes next.
Model measured_model(const Model& levels, const Prober& prober,
                     const std::function<void(const std::string&)>& doing = {});

}  // namespace charm::memory_traffic
