// Affinity masks of threads. All calls of sched_setaffinity(2) are in this module.
#pragma once

#include <vector>

namespace charm::os {

/// OS cpu numbers that the calling thread may run on, ascending (works beyond 1,024 cpus).
std::vector<int> allowed_cpus();

/// Binds the calling thread to `cpus`; false where the kernel refuses.
bool bind_this_thread(const std::vector<int>& cpus);

/// The same for any thread, by its id; empty if there is no such thread or it may not be queried.
std::vector<int> allowed_cpus_of(int thread);

/// Binds any thread. \returns 0 or an errno: ESRCH where it has ended, EPERM where it is somebody else's, EINVAL where
/// nothing of `cpus` may be used.
int bind_thread(int thread, const std::vector<int>& cpus);

/// The cpu that the calling thread runs on at the moment.
int current_cpu();

}  // namespace charm::os
