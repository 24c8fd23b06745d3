// The order in which memory is taken: what `charm probe` has measured of each NUMA node.
#pragma once

#include <charm/machine.hpp>

namespace charm::placement {

/// How fast a core of the node reads the node's own memory, in steps of a fifth, since measurements of nodes that are
/// alike differ by a few per cent. 0 where that was not measured, or the profile is doubtful.
long memory_rate(const Machine& machine, int node);

}  // namespace charm::placement
