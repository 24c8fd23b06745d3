// Looks through another machine's sysfs tree before hwloc reads it: whether there is a machine in it at all, whether
// everything is a file that ends, and what in it is missing or contradicts itself. The kernel's own tree never does, a
// copy may.
#pragma once

#include <string>
#include <vector>

namespace charm::topology {

struct SysfsFindings {
  std::string problem = {};             ///< why no machine can be read from it; empty where one can
  std::string remedy = {};              ///< of the problem
  std::vector<std::string> notes = {};  ///< what is damaged, a sentence each
  bool distances = true;                ///< the nodes' distances are what they should be
  bool arm = false;                     ///< the processor is an Arm one
  bool grace = false;                   ///< and NVIDIA's Grace, as far as its cores tell
};

/// \param root the directory that has `sys/devices/system/cpu`.
SysfsFindings check_sysfs(const std::string& root);

}  // namespace charm::topology
