// Algorithm 2 of CHARM §4.3 at every spread that it accepts, as one placement: the map that Algorithm 1 steers in the
// paper. Level 1 is where workers start: lines 5 to 11 at a spread_rate of 1, which give worker n core n, whether or
// not line 2 accepts that value. Nothing keeps the cores of two levels apart, so workers may collide in this placement.
#pragma once

#include <vector>

#include "placement/placement.hpp"

namespace charm::placement {

/// Lines 5 to 11: the core of each worker. \param spread_rate from 1 to the number of cores in the largest chiplet.
/// \throws Error (refused) if the process may not use one of them.
std::vector<WorkerCore> literal_cores(const Machine& machine, int workers, int spread_rate);

/// \throws Error (refused) if a worker would start on a cpu that may not be used, and what placed_workers() throws.
Placement literal_map(const Machine& machine, const Request& request);

}  // namespace charm::placement
