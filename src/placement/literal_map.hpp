// Algorithm 2 of CHARM §4.3 at every spread that it accepts, as one placement: the map that Algorithm 1 steers in the
// paper. At a spread that it refuses, workers stay where they are; here they get the cores of the next lower accepted
// one. Nothing keeps the cores of two levels apart, so workers may collide in this placement.
#pragma once

#include "placement/placement.hpp"

namespace charm::placement {

/// \throws Error (refused) with the reason at the highest spread, if it accepts no spread.
Placement literal_map(const Machine& machine, const Request& request);

}  // namespace charm::placement
