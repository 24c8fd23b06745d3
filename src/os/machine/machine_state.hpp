// Identifies the machine as this process sees it, to compare it with what another process saw before: the boot, the
// mounts, which cpus and NUMA nodes are online, and the program.
#pragma once

#include <optional>
#include <string>

#include "base/id_sets.hpp"

namespace charm::os {

struct MachineState {
  std::string text;  // one line; equal texts: nothing has changed
  CpuSet online_cpus;
  OsNodeSet online_nodes;  // empty where the kernel knows no NUMA
};

/// Nothing where the kernel does not say which boot this is, or which cpus are online.
/// \param root below which /proc and /sys lie.
std::optional<MachineState> machine_state(const std::string& root = "/");

}  // namespace charm::os
