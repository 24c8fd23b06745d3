// Which cpus a thread may and shall run on. All that the house asks of sched_setaffinity(2) stands here.
#pragma once

#include <vector>

namespace charm::os {

/// OS cpu numbers that the calling thread may run on, ascending (works beyond 1,024 cpus).
std::vector<int> allowed_cpus();

/// Binds the calling thread to `cpus`; false where the kernel refuses.
bool bind_this_thread(const std::vector<int>& cpus);

/// The cpu that the calling thread runs on at the moment.
int current_cpu();

}  // namespace charm::os
