// Pressure stall information: how long tasks waited for cpus and memory. Read below `root`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace charm::os {

/// Microseconds, ever since the group or machine exists, in which some task waited for `resource` ("cpu", "memory",
/// "io"): of the process's cgroup where it has the file, else of the machine. Nothing where the kernel keeps none.
std::optional<std::uint64_t> stall_time_us(const std::string& resource, const std::string& root = "/");

}  // namespace charm::os
