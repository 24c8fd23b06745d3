// The same machine with its cores in other chiplets.
#pragma once

#include <charm/machine.hpp>

#include <vector>

namespace charm::topology {

/// Numbers the cores anew, since in every Machine core ids follow the chiplets, and chiplets the nodes and sockets.
/// \param chiplets each core of `machine`, by its id there, in one of them; each within one node. Their own ids, nodes
/// and sockets are not read, `total_cores` 0 means that all of a chiplet's cores are given, and `shared_cache` is any
/// number that those which share a cache have in common.
Machine regrouped(Machine machine, std::vector<Chiplet> chiplets);

}  // namespace charm::topology
