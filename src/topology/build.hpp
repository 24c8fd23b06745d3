// Makes the Machine that the rest of CHARM works on from a survey and the restrictions of this process. Pure.
#pragma once

#include <charm/machine.hpp>

#include <optional>
#include <string>

#include "base/id_sets.hpp"
#include "topology/survey.hpp"

namespace charm::topology {

/// The restrictions of one process, in addition to those in the survey.
struct Restrictions {
  std::optional<CpuSet> affinity;  // cpus that the calling thread may run on
  std::optional<CpuSet> cgroup_cpus;
  std::optional<OsNodeSet> cgroup_nodes;
  double cpu_quota = 0;
};

/// The affinity mask of the calling thread and the cgroups below `root`.
Restrictions restrictions_here(const std::string& root = "/");

/// \throws Error (bad_input) if no cpu is left.
Machine build(Survey survey, const Restrictions& restrictions = {});

}  // namespace charm::topology
