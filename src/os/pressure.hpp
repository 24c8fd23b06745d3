// Whether other programs want the cpus, too: pressure stall information (/proc/pressure/cpu) and the number of runnable
// threads (/proc/loadavg); the root of the file system is an argument, so that tests read a tree of their own.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace charm::os {

/// Percent of the last ten seconds in which some thread waited for a cpu; nothing where the kernel does not tell.
std::optional<double> cpu_pressure(const std::string& root = "/");

/// Threads that run or want to, the caller's own among them; nothing where /proc does not tell.
std::optional<std::size_t> runnable_threads(const std::string& root = "/");

}  // namespace charm::os
