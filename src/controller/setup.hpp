// What a controller knows before the first tick: the levels that it may choose from, and the cost of moving between
// them.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "controller/signals.hpp"
#include "placement/placement.hpp"

namespace charm::controller {

/// Costs of the machine by order of magnitude. They are used only to rank causes of stalling and to weigh a move. The
/// values given here are those of AMD's Milan, from which the paper's machine is built.
struct Traits {
  std::array<double, sources_beyond_l2.size()> latency_ns{13, 106, 200, 105, 200};
  double mlp = 8;                                         // cache misses in flight together
  double link_gb_per_s = 45;                              // what all cores of one chiplet read together
  double node_gb_per_s = 155;                             // what all cores of a node read from its memory
  double core_gb_per_s = 0;                               // what one core reads; 0 where not measured: no limit
  std::array<bool, sources_beyond_l2.size()> measured{};  // which of the latencies charm probe has measured here
  std::string like;                                       // the known machine that the other numbers are of
  std::string rates_source;                               // of the bandwidths: "as on epyc-7742", "measured"
  std::string source;  // "estimated, as on epyc-7742", "measured on 2026-02-01: own_chiplet, …"
};

/// The costs of `machine`: what its profile measured, unless something speaks against that, and otherwise those of the
/// most similar known machine.
Traits traits_for(const Machine& machine);

struct Setup {
  int control_group = 0;
  int workers = 1;
  std::vector<int> levels{1};                // chiplets, ascending
  std::vector<int> sockets;                  // by level: that the workers use; empty: all use the same
  std::vector<std::vector<int>> chiplet_of;  // by level and worker: its chiplet
  std::vector<std::vector<int>> turn_of;     // by level and worker: how many workers before it have the same core
  int initial = 0;                           // index of the level to start at
  int chiplets = 1;                          // of the machine, and
  int cores_per_chiplet = 1;  // cores of the largest of them: CHIPLETS and CORES_PER_CHIPLET of CHARM §4.2-4.3
  Traits traits;
  std::vector<double> memory_gb_per_s;        // by level: what the workers can read from memory; empty: not known
  std::vector<std::vector<double>> refill_s;  // [from][to] seconds until the movers' caches are full again
};

/// The levels of a placement, and how long it takes to refill the caches of workers that move.
Setup setup_for(const Machine& machine, const placement::Placement& placement, const Traits& traits);

}  // namespace charm::controller
