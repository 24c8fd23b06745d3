// Where to go when other programs keep some cpus busy. A core is as loud as its loudest hardware thread.
#pragma once

#include <charm/machine.hpp>

#include <vector>

namespace charm::placement {

/// Cores of the machine (by Core::cpu) of which some hardware thread is among the cpus `loud` (ascending); ascending.
std::vector<int> loud_cores(const Machine& machine, const std::vector<int>& loud);

/// The cpus of the machine's quiet cores. Where they do not do for so many workers, a core each (with `smt`: a hardware
/// thread each), also as many loud cores as are needed, those first that have the fewest loud neighbours on their
/// chiplet; where the machine does not do, all of it. Ascending.
std::vector<int> quiet_cpus(const Machine& machine, const std::vector<int>& loud, int workers, bool smt);

/// Whether another placement on quiet_cpus() would leave fewer of these seats on loud cores. \param seats cpus of the
/// workers.
bool quieter_elsewhere(const Machine& machine, const std::vector<int>& loud, const std::vector<int>& seats, bool smt);

}  // namespace charm::placement
