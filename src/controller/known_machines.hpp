// Latencies and link speeds of machines, as published or estimated, so that a controller starts from those of a machine
// like its own. The simulator's models (src/tools/sim/machines/*.json) have the same numbers with the source of each;
// they are not read here, since the library reads no files to start, and a test holds the two together.
#pragma once

#include <charm/machine.hpp>

#include <array>
#include <span>
#include <string_view>

#include "controller/counts.hpp"

namespace charm::controller {

struct KnownMachine {
  std::string_view name;  // the simulator's model of it
  int sockets, nodes, chiplets, cores;
  std::array<double, sources_beyond_l2.size()> latency_ns;  // by source
  double mlp;                                               // cache misses of a core in flight together
  double link_gb_per_s;                                     // reads of one chiplet over its link; 0: one die, no link
  double socket_gb_per_s;                                   // reads from the memory of all nodes of a socket together
};

std::span<const KnownMachine> known_machines();

/// The one whose shape is most like that of `machine`: above all the number of chiplets in a socket and, where the
/// processor's name tells it, who made it and its number; then cores, nodes, and whether there are several sockets.
const KnownMachine& most_similar(const Machine& machine);

/// Who made a processor of this name: "amd", "intel", "intel core" or "arm"; empty where the name does not say.
std::string_view maker_of(std::string_view processor);

/// How many nodes with cpus share the memory of a socket.
double nodes_of_a_socket(const Machine& machine);

}  // namespace charm::controller
