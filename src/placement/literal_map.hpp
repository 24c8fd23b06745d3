// Algorithm 2 of CHARM §4.3 at every spread that it accepts, as one placement: the map that Algorithm 1 steers in the
// paper. A spread that it refuses leaves the workers where they are; here they stand as at the next lower accepted one.
// Nothing keeps the seats of two levels apart: this is the placement that collides.
#pragma once

#include "placement/placement.hpp"

namespace charm::placement {

/// \throws Error (refused) with the reason at the highest spread, where it accepts none.
Placement literal_map(const Machine& machine, const Request& request);

}  // namespace charm::placement
