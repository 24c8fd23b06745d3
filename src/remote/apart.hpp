// Keeps the ranks of one machine apart: those that may use the same cpus, because nobody has bound them, divide the
// cores among themselves.
#pragma once

#include <charm/id_set.hpp>
#include <charm/machine.hpp>

namespace charm::remote {

/// The ranks of a host whose processes may use exactly the same cpus, and which of them this rank is.
struct Crowd {
  int index = 0;
  int count = 1;
};

/// The cpus of one of `count` ranks: consecutive cores, so whole chiplets as far as that divides evenly; with more
/// ranks than cores one core, which several have.
CpuSet cpus_of_rank(const Machine& machine, const Crowd& crowd);

}  // namespace charm::remote
