// Affinity masks that follow from a thread's core: pure functions from a machine and the cpus that may be used.
#pragma once

#include <charm/id_set.hpp>
#include <charm/machine.hpp>
#include <charm/placement.hpp>

#include "base/id_sets.hpp"
#include "base/setting_choices.hpp"

namespace charm::binding {

/// What a thread with a core is bound to.
using base::Bind;

/// All cpus (hardware threads) of these cores.
CpuSet cpus_of_cores(const Machine& machine, const CoreCpuSet& cores);
/// All cpus of a chiplet's cores.
CpuSet cpus_of_chiplet(const Machine& machine, int chiplet);
/// All cpus of a node's cores; all cpus of the machine if `node` is below 0.
CpuSet cpus_of_node(const Machine& machine, int node);

/// The mask of a thread while it has `core`. \param allowed cpus that may be used.
/// \returns the empty set if the thread is not to be bound.
CpuSet mask_for(const Machine& machine, const WorkerCore& core, Bind bind, const CpuSet& allowed);

/// The mask of a thread that waits for `core` while another thread still has it (the rule of thread_binder.hpp).
CpuSet floating_mask(const Machine& machine, const WorkerCore& core, const CpuSet& allowed);

}  // namespace charm::binding
