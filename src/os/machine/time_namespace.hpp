// Time namespaces, time_namespaces(7): the monotonic clocks of a container may be shifted against the machine's, so two
// processes cannot compare their readings directly.
#pragma once

#include <cstdint>
#include <string>

namespace charm::os {

/// What the time namespace of this process adds to the machine's monotonic clock, in nanoseconds; 0 outside of such a
/// namespace, and where the kernel has none.
std::int64_t monotonic_offset_ns(const std::string& root = "/");

/// Number of the namespace, by which start times of processes can be compared; 0: unknown.
std::uint64_t time_namespace(const std::string& root = "/");

}  // namespace charm::os
