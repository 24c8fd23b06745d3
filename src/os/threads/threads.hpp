// The threads of this process, and how many there may be.
#pragma once

#include <string>

namespace charm::os {

/// Number of threads of the process; -1 if /proc does not say.
int threads_of_process() noexcept;

/// The calling thread's number in the system; that of the first thread is the process's.
int this_thread_number() noexcept;
/// Whether this is the number of the thread that runs main().
bool is_first_thread(int number) noexcept;

/// The limits on the number of threads, in words, for the error that no more can be made: "pids.max of the cgroup is
/// 20, RLIMIT_NPROC is 100, RLIMIT_AS is 4096 MiB". \param root as of read_cgroup_limits.
std::string thread_limits(const std::string& root = "/");

/// Sets the name that ps, top and debuggers show for the calling thread; the kernel keeps 15 bytes.
void name_this_thread(const std::string& name) noexcept;

}  // namespace charm::os
