// The one call of perf_event_open(2), and what every event of ours has in common.
#pragma once

#include "os/perf_events.hpp"

namespace charm::os {

/// Counts what `event` says, in user mode alone unless it asks for the kernel; both times are read with it.
[[nodiscard]] perf_event_attr perf_attributes(const PerfEvent& event);

/// \param thread 0: the caller. \param cpu -1: whichever it runs on. \param group the leader's descriptor, or -1.
/// \return a descriptor that exec closes, or -errno.
int perf_open(perf_event_attr& attributes, int thread, int cpu, int group) noexcept;

}  // namespace charm::os
