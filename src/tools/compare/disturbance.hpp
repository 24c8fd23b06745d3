// Describes in words what disturbed the runs, as far as it can be observed from outside. Pure: a function of the state
// of the machine before and after, and of the runs themselves.
#pragma once

#include <string>
#include <vector>

#include "tools/compare/outcome.hpp"
#include "tools/os/machine_watch.hpp"

namespace charm::compare {

/// The disturbances that matter, the strongest first; empty on a quiet machine.
std::vector<std::string> disturbances(const os::MachineActivity& around, const Outcome& outcome);

/// How much longer the runs of the second half took than those of the first, as a share; 0 if that is within noise.
double drift(const Outcome& outcome);

}  // namespace charm::compare
