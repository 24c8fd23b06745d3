// Shared bandwidth. Each server (a chiplet's link in each direction, a node's memory, the link into a node, the link
// into a socket) slows its users down by one factor, the smallest that keeps it within its limit.
#pragma once

#include <vector>

#include "tools/sim/model.hpp"

namespace charm::sim {

struct Flow {
  enum class Path { chiplets, nodes, sockets, memory };
  int chiplet = 0, node = 0, socket = 0;  // of the core that asks
  int home = -1;                          // node of the memory; -1: from another cache
  Path path = Path::memory;
  double wait_ns = 0;     // per operation, without other users
  double read_bytes = 0;  // per operation
  double written_bytes = 0;
};

struct Demand {
  double own_ns = 1;  // per operation, without the flows
  std::vector<Flow> flows;
};

/// The time per operation of each worker, in ns.
std::vector<double> share_bandwidth(const Model& model, const std::vector<Demand>& demands);

}  // namespace charm::sim
