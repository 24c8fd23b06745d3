// What a controller knows before the first tick: the levels it may choose from and what it costs to go between them.
#pragma once

#include <array>
#include <vector>

#include "controller/signals.hpp"
#include "placement/placement.hpp"

namespace charm::controller {

/// Costs of the machine, by order of magnitude: they rank causes of stalling and weigh a move, and nothing finer.
struct Traits {
  std::array<double, fill_sources> latency_ns{13, 106, 200, 105, 200};
  double mlp = 8;             // cache misses in flight together
  double link_gb_per_s = 45;  // one chiplet's reads
};

struct Setup {
  int gang = 0;
  int workers = 1;
  std::vector<int> levels{1};  // chiplets, ascending
  int initial = 0;             // index of the level to start at
  Traits traits;
  std::vector<std::vector<double>> refill_s;  // [from][to] seconds until the movers' caches are full again
};

/// The levels of a placement, and how long the caches of those who move take to fill.
Setup setup_for(const Machine& machine, const placement::Placement& placement, const Traits& traits = {});

}  // namespace charm::controller
