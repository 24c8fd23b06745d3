// Checks another machine's sysfs tree before hwloc reads it: whether it contains a machine, whether there are only
// plain files in it, and what is missing or contradictory. The kernel's own tree is sound; a copy may not be.
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
