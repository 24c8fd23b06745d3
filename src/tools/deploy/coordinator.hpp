// The master or coordinator of an engine that `charm deploy up` starts beside the workers: a process of its own that
// does no work of a worker (OLAP on chiplets §4.2: a coordinator that shares a worker's core is what makes one worker
// per core slow). In the state of a deployment it is the first worker, and is watched, verified and ended as the others
// are.
#pragma once

#include <cstdint>

#include "tools/deploy/plan.hpp"

namespace charm::deploy {

inline constexpr const char* coordinator_name = "coordinator";

/// Half of what a host's workers leave to the system, within the cgroup's limit too, and at most 8 GiB. 0: unknown.
std::uint64_t coordinator_memory(const Plan& plan, const HostPlan& host);
/// The part of that for a Java heap.
std::uint64_t coordinator_heap(const Plan& plan, const HostPlan& host);

/// Its cpus are those that --leave-cores leaves to the system, else those of all workers. Its memory comes from any
/// node. Its ports follow those of the workers.
/// \throws Error (bad_input) if these are beyond the last port.
Worker coordinator_of(const Plan& plan);

}  // namespace charm::deploy
