// Keeps the ranks of one machine apart. They lease their cores, as other programs of CHARM do (docs/run.md), so that
// they also stay apart from those. Ranks that may use the same cpus, because nobody has bound them, want equal parts of
// these. Where they cannot lease, each is bound to its part.
#pragma once

#include <charm/id_set.hpp>
#include <charm/machine.hpp>

#include <string>

#include "base/settings.hpp"

namespace charm::remote {

/// The ranks of a host whose processes may use exactly the same cpus, and which of them this rank is.
struct Crowd {
  int index = 0;
  int count = 1;
  bool one_table = false;  ///< all ranks of the host can use the same table of leases
};

/// The cpus of one of `count` ranks: consecutive cores, so whole chiplets as far as that divides evenly; with more
/// ranks than cores one core, which several have.
CpuSet cpus_of_rank(const Machine& machine, const Crowd& crowd);

/// How many workers a rank starts with by default: one for each core of its part, at most the cgroup's
/// cpu quota.
int workers_of_rank(const Machine& machine, const Crowd& crowd);

/// Whether ranks keep apart by leases; otherwise `reason` says why not, and is empty where the settings say so.
struct Leasing {
  bool possible = false;
  std::string reason{};
};
Leasing leasing(const Machine& machine, const Crowd& crowd, const base::Settings& settings);

}  // namespace charm::remote
