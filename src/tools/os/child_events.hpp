// Counters of a program that is about to be started: events of the calling thread that its children inherit and that
// begin with exec (perf_event_open(2), inherit and enable_on_exec). The caller itself is never counted.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "os/perf/perf_events.hpp"

namespace charm::os {

class ChildEvents {
 public:
  struct Count {
    int error = 0;     ///< errno where the kernel refused the event
    double value = 0;  ///< extrapolated where the event had a counter for a part of the time only
    double share = 0;  ///< share of the time in which it was counted; 0: nothing was counted, and `value` means nothing
  };

  /// Opens events for the next program that the calling thread starts. Events that the kernel refuses stay in the list
  /// with their error.
  explicit ChildEvents(std::span<const PerfEvent> events);
  ~ChildEvents();
  ChildEvents(const ChildEvents&) = delete;
  ChildEvents& operator=(const ChildEvents&) = delete;

  /// The counts, in the order of the events. Call it after the program has ended.
  [[nodiscard]] std::vector<Count> counts() const;

 private:
  std::vector<int> descriptors_;  // or -errno
};

}  // namespace charm::os
