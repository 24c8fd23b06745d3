// Describes in words what disturbed the runs, as far as it can be observed from outside. Pure: a function of the state
// of the machine before and after, and of the runs themselves.
#pragma once

#include <charm/id_set.hpp>

#include <map>
#include <string>
#include <vector>

#include "tools/compare/outcome.hpp"
#include "tools/os/machine_use.hpp"

namespace charm::compare {

struct HostActivity {
  os::MachineUse before, after;
  double own_cpu_s = 0;  ///< cpu time of the runs and of this process between the two states
  int own_process = 0;   ///< this process's id, so that it does not count as another program
  std::map<std::string, CpuSet> governors;
};

/// The disturbances that matter, the strongest first; empty on a quiet machine.
std::vector<std::string> disturbances(const HostActivity& around, const Outcome& outcome);

/// How much longer the runs of the second half took than those of the first, as a share; 0 if that is within noise.
double drift(const Outcome& outcome);

}  // namespace charm::compare
