// Stage 7: holds the groups of the selected level against each other. A group whose halves are as far apart as groups
// are is split, and a single item joins the group that it sees from inside. Medians of whole blocks decide, each group
// by its own inside, because a socket whose lines were homed elsewhere has all its latencies raised.
#pragma once

#include "probe/level.hpp"

namespace charm::probe {

void consolidate(const Distances& distances, Level& level);

}  // namespace charm::probe
