// A machine restricted to fewer cpus, for when a cgroup or a mask takes some away at run time.
#pragma once

#include <charm/machine.hpp>

namespace charm::placement {

/// The machine with only those of its cpus that are in `cpus`. Ids are new, in the same order, as
/// Machine's are; cpu numbers stay.
Machine restricted(const Machine& machine, const CpuSet& cpus);

}  // namespace charm::placement
