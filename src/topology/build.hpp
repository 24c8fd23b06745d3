// Makes the Machine that the rest of CHARM works on from a survey and the restrictions of this process. Pure.
#pragma once

#include <charm/machine.hpp>

#include <optional>
#include <string>
#include <vector>

#include "topology/survey.hpp"

namespace charm::topology {

/// What narrows a machine for one process beyond what its survey says is allowed. Lists are ascending.
struct Restrictions {
  std::optional<std::vector<int>> affinity;  // cpus that the calling thread may run on
  std::optional<std::vector<int>> cgroup_cpus;
  std::optional<std::vector<int>> cgroup_nodes;  // OS numbers of memory nodes
  double cpu_quota = 0;
};

/// The affinity mask of the calling thread and the cgroups below `root`.
Restrictions restrictions_here(const std::string& root = "/");

/// \throws Error (bad_input) if no cpu is left.
Machine build(Survey survey, const Restrictions& restrictions = {});

}  // namespace charm::topology
