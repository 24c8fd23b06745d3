// What a load waits for beyond the private caches, read from the measured curve "Latency by working set".
#pragma once

#include <charm/machine.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "tools/probe/profile.hpp"

namespace charm::probe {

struct LoadLatencies {
  double l3_ns = 0;  ///< a line of the own chiplet's last-level cache; 0 where not measured
  std::vector<double>
      memory_ns;      ///< a line of each node's memory, in the order of Machine::nodes; 0 where not measured
  int from_node = 0;  ///< id of the node whose core waited
};

/// The last-level cache is what working sets of at least twice the private and at most half the last-level cache hit;
/// memory is what the largest one waits for, if it is at least twice the last-level cache.
/// \param machine as the system reports it: the sizes of its caches, and its nodes.
LoadLatencies load_latencies(const Profile& profile, const Machine& machine);

/// The curve's name of a node's memory.
std::string memory_label(const Node& node, bool own);

/// Size of the largest cache; an assumption where the machine reports none.
std::uint64_t last_level_bytes(const Machine& machine);

}  // namespace charm::probe
