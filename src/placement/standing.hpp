// The level at which workers stand while nobody can tell how fast they are: other programs on a machine without
// counters (`charm run`). The rule was chosen by regret over the simulator's machines and workloads (docs/simulator.md);
// it uses what is known of any program from outside, the memory that it holds.
#pragma once

#include <charm/machine.hpp>

#include "placement/placement.hpp"

namespace charm::placement {

/// The fewest chiplets whose last-level caches hold `bytes`; all chiplets of the placement if none do.
/// \return a level of the placement.
int standing_level(const Machine& machine, const Placement& placement, double bytes);

}  // namespace charm::placement
