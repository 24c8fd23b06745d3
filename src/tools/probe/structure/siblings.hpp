// Stage 8: finds the rows that are hardware threads of one core. Siblings share the first-level cache, so that they
// answer each other in a fraction of what a shared last-level cache takes; two cores of a small chiplet do not. This is
// the one place where latencies are compared with nanoseconds to find groups.
#pragma once

#include "tools/probe/structure/selection.hpp"

namespace charm::probe {

/// The log odds that the groups of a level are cores.
double sibling_score(const Level& level);

/// Whether the groups have the size and the step of cores, however slow they are: pairs, or fours that the next group
/// is not much farther from than they are from each other. Chiplets of four cores are farther apart.
bool may_be_cores(const Level& level);

/// A partition into pairs that are nearer to each other than to all others, and single items. Empty if fewer than a
/// fifth of the items are in such pairs. For machines on which only some cores have siblings.
Partition separate_pairs(const Distances& d);

/// Share of the items that are in a pair whose distance is below the distances of both to all others by `least`.
double share_in_pairs(const Distances& d, double least);

struct InferredSiblings {
  int inferred = 0;  ///< threads that were given a core
  double sure = 1;   ///< factor for the confidence of the level
};

/// Joins single threads of `cores` where `chiplets` leave one way to do so, or where one way explains the measurements
/// to third rows best.
InferredSiblings infer_siblings(const LatencyMatrix& matrix, Partition& cores, const Partition& chiplets);

}  // namespace charm::probe
