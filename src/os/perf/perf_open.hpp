// The only call of perf_event_open(2), and the attributes that all events share.
#pragma once

#include "os/perf/perf_events.hpp"

namespace charm::os {

/// Attributes for an event: it counts in user mode, and in the kernel only if the event asks for it; both times are
/// read with it.
[[nodiscard]] perf_event_attr perf_attributes(const PerfEvent& event);

/// Opens an event. \param thread 0: the caller. \param cpu -1: any. \param group the leader's descriptor, or -1.
/// \return a descriptor that exec closes, or -errno.
int perf_open(perf_event_attr& attributes, int thread, int cpu, int group) noexcept;

}  // namespace charm::os
