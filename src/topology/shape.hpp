// Machines from counts: sockets that are alike, the nodes of each, chiplets that may differ, cores of several kinds. It
// is the form in which a model's file or the table of known products (known_shapes.hpp) gives a topology.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topology/survey.hpp"

namespace charm::topology {

/// Chiplets of a socket that are alike, or more cores for the last of them.
struct Cores {
  int node = 0;              ///< of the socket
  int chiplets = 1;          ///< 0: these cores are on the chiplet before
  int cores = 1;             ///< of each chiplet
  std::uint64_t l3_kib = 0;  ///< of each chiplet; 0: they share no more than their L2
  int capacity = 1024;       ///< work in a second, where the machine's fastest core does 1024
  int threads = 0;           ///< of each core; 0: Shape::threads
  std::uint64_t l2_kib = 0;  ///< of each core; 0: Shape::l2_kib
  int cores_of_l2 = 1;       ///< so many neighbours share an L2
};

struct Shape {
  int sockets = 1;
  std::vector<std::uint64_t> node_bytes;         ///< memory of the nodes of each socket
  std::vector<std::uint64_t> memory_only_bytes;  ///< nodes without cpus, of the whole machine
  std::vector<Cores> cores;                      ///< of each socket, by node
  int threads = 1;                               ///< of each core
  std::uint64_t l2_kib = 0;
};

/// Cpu numbers as servers have them, all first threads before all second ones; where some cores have more threads than
/// others, a core's threads are neighbours, as on desktops. `name` and `origin` are empty.
Survey survey_of(const Shape& shape);

}  // namespace charm::topology
