// Chooses quiet cores when other programs keep some cpus busy. A core is as busy as its busiest hardware thread.
#pragma once

#include <charm/machine.hpp>

#include <vector>

#include "base/id_sets.hpp"

namespace charm::placement {

/// Cores of the machine with a hardware thread that is among the cpus `busy`.
CoreCpuSet busy_cores(const Machine& machine, const CpuSet& busy);

/// The cpus of the machine's quiet cores. If there are not enough for all workers, with a core each (with `smt`: a
/// hardware thread each), also as many busy cores as are needed, first those with the fewest busy neighbours on their
/// chiplet; if the whole machine is not enough, all of it.
CpuSet quiet_cpus(const Machine& machine, const CpuSet& busy, int workers, bool smt);

/// Whether another placement on quiet_cpus() would leave fewer of these cores on busy cores. \param cores cpus of the
/// workers.
bool quieter_elsewhere(const Machine& machine, const CpuSet& busy, const std::vector<int>& worker_cores, bool smt);

}  // namespace charm::placement
