// Pressure stall information: in which share of the time, and how long, tasks waited for cpus, memory or devices; the
// root of the file system is an argument, so that tests read a tree of their own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace charm::os {

/// Percent of the last ten seconds in which some thread of the machine waited for a cpu; nothing where the kernel does
/// not tell.
std::optional<double> cpu_pressure(const std::string& root = "/");

/// Microseconds since the start of the group or machine in which some task waited for `resource` ("cpu", "memory",
/// "io"): of the process's cgroup if it has the file, else of the machine. Nothing if the kernel keeps no such count.
std::optional<std::uint64_t> stall_time_us(const std::string& resource, const std::string& root = "/");

}  // namespace charm::os
