// Stage 7: compares the groups of the selected level with each other. A group is split if its halves are as far apart
// as groups are. A single item joins a group if its distances to the members are those within the group. Medians of
// whole blocks decide, each compared with the inside of its own group, because all latencies of a socket are raised if
// its lines were homed elsewhere.
#pragma once

#include "tools/probe/structure/level.hpp"

namespace charm::probe {

void consolidate(const Distances& distances, Level& level);

}  // namespace charm::probe
