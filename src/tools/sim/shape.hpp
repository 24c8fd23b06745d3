// Makes machines from counts: sockets, nodes, chiplets that may differ, cores, threads, as a model file gives its
// topology.
#pragma once

#include <charm/machine.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace charm::sim {

struct Shape {
  struct Die {
    int cores = 1;
    std::uint64_t l3_bytes = 0;
  };
  struct NodeShape {
    std::uint64_t memory_bytes = 0;
    std::vector<Die> chiplets;
  };
  int sockets = 1;
  std::vector<NodeShape> nodes;                  // the nodes of each socket
  std::vector<std::uint64_t> memory_only_bytes;  // nodes without cpus, of the whole machine
  int smt = 1;
  std::uint64_t l2_bytes = 0;
};

/// Cpu numbers as AMD and Intel servers have them: all first threads, then all second ones.
Machine build_machine(const Shape& shape, const std::string& name);

}  // namespace charm::sim
