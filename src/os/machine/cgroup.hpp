// What the cgroups of this process allow it to use: cpus, memory nodes, a share of cpu time, and threads.
//
// Both versions are read, also side by side: v2 (cpuset.cpus.effective, cpu.max) and v1 (cpuset.effective_cpus,
// cpu.cfs_quota_us). A quota binds at every level of the tree, so the tightest from the process's group up to the root
// of the mount counts. Everything is read below `root`, so that tests can use a tree of their own.
#pragma once

#include <charm/id_set.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/id_sets.hpp"

namespace charm::os {

struct CgroupLimits {
  std::optional<CpuSet> cpus;      // nothing: not limited, or not known
  std::optional<OsNodeSet> nodes;  // memory nodes; nothing: as for cpus
  double cpu_quota = 0;            // cpu time, in cpus; 0: no limit
  std::int64_t threads = 0;        // limit for all processes of the group together (pids.max); 0: no limit
};

/// One line of /proc/PID/cgroup.
struct CgroupMembership {
  std::string controllers;  ///< controllers of a v1 hierarchy, separated by commas; empty: v2
  std::string path;         ///< path of the group from the top of its hierarchy
};
/// \param process its number, or "self".
std::vector<CgroupMembership> cgroup_memberships(const std::string& root = "/", const std::string& process = "self");

/// Reads the limits of a process, as far as its groups are below this process's mounts. Never throws: a limit that
/// cannot be read counts as none (the kernel enforces it all the same).
CgroupLimits read_cgroup_limits(const std::string& root = "/", const std::string& process = "self");

}  // namespace charm::os
