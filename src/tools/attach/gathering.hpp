// When the kernel gathers threads on one cache by itself (cache-aware scheduling, since Linux 7.2), so that nobody has
// to bind them. The rule is read from the kernel's source and was checked on Linux 7.3.4 (docs/design/placement.md).
#pragma once

#include <charm/machine.hpp>

#include "placement/standing.hpp"

namespace charm::attach {

/// Whether the kernel gathers `workers` busy threads of one process where `standing` would put them: all on one of
/// several equal caches, of which they take about half the cpus at most, on a machine of one NUMA node. It gives up
/// with more threads, does not know which cache is larger, and leaves pages where they are.
bool kernel_would_gather(const Machine& machine, int workers, const placement::Standing& standing);

}  // namespace charm::attach
