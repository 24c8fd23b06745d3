// What the control groups that this process is in let it use: cpus, memory nodes, and a share of cpu time.
//
// Both generations are read, also side by side: v2 (cpuset.cpus.effective, cpu.max) and v1 (cpuset.effective_cpus,
// cpu.cfs_quota_us). A quota binds at every level of the tree, so the tightest from the process's group up to the root
// of the mount counts. Everything is read below `root`, so that a made-up tree can stand in for the machine's.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace charm::os {

struct CgroupLimits {
  std::optional<std::vector<int>> cpus;   // OS numbers, ascending; nothing: not limited or not told
  std::optional<std::vector<int>> nodes;  // OS numbers of memory nodes
  double cpu_quota = 0;                   // cpus' worth of time; 0: no limit
};

/// Never throws: what cannot be read limits nothing (the kernel enforces it all the same).
CgroupLimits read_cgroup_limits(const std::string& root = "/");

}  // namespace charm::os
