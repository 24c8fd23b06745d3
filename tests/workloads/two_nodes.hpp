// A machine of two NUMA nodes, on paper: loops and arrays are split as there, and the kernel places nothing.
#pragma once

#include <charm/charm.hpp>

namespace charm::workloads::testing {

/// Four chiplets on two nodes, and workers whose numbers are not in the order of the chiplets.
inline Config two_nodes() {
  Config config;
  config.topology = "pack:1 numa:2 l3:2 core:8 pu:1";
  config.policy = "distributed";
  return config;
}

}  // namespace charm::workloads::testing
