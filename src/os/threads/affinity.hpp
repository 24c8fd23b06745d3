// Affinity masks of threads. All calls of sched_setaffinity(2) are in this module.
#pragma once

#include <charm/id_set.hpp>

namespace charm::os {

/// The affinity mask of the calling thread (works beyond 1,024 cpus).
CpuSet allowed_cpus();

/// Binds the calling thread to `cpus`; false where the kernel refuses.
bool bind_this_thread(const CpuSet& cpus);

/// The affinity mask of any thread, by its id; empty if there is no such thread or it may not be queried.
CpuSet allowed_cpus_of(int thread);

/// Binds any thread. \returns 0 or an errno: ESRCH if it has ended, EPERM if it belongs to another user, EINVAL if
/// none of `cpus` may be used.
int bind_thread(int thread, const CpuSet& cpus);

/// The cpu that the calling thread runs on at the moment.
int current_cpu();

}  // namespace charm::os
