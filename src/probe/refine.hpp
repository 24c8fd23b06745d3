// Holds the groups of one level against each other. What the search for steps left coarse or in pieces is mended where
// the level as a whole says how: a group that falls apart in the way in which the others are apart is divided, pieces
// that are as near to each other as members of one group are joined, and every item goes where the whole of its known
// latencies says it belongs.
//
// Invariant: a partition stays a partition. Medians of blocks decide, never a single pair, and every group is compared
// with its own surroundings, since a socket whose lines were homed elsewhere has all its latencies raised.
#pragma once

#include <functional>

#include "probe/steps.hpp"

namespace charm::probe {

using Splitter = std::function<Search(const Distances&)>;

/// \param split finds the innermost groups of a matrix of its own.
/// \returns how many items changed their group.
int refine(const Distances& distances, Level& level, const Splitter& split);

}  // namespace charm::probe
