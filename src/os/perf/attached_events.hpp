// Counters of other threads, or of whole cpus (perf_event_open(2) with a thread or a cpu), as an interface, so that
// tests can replace the counters of this machine.
#pragma once

#include <cstdint>
#include <memory>

#include "os/perf/perf_events.hpp"

namespace charm::os {

class AttachedEvents {
 public:
  struct Count {
    std::uint64_t value = 0;
    std::uint64_t enabled_ns = 0;
    std::uint64_t running_ns = 0;  ///< if less than `enabled_ns`, the event had a counter for a part of the time only
  };

  AttachedEvents() = default;
  virtual ~AttachedEvents() = default;
  AttachedEvents(const AttachedEvents&) = delete;
  AttachedEvents& operator=(const AttachedEvents&) = delete;

  /// Starts counting. \param tid a thread, on any cpu; or -1. \param cpu with -1: this cpu, for all threads. \return a
  /// descriptor, or -errno.
  virtual int open(const PerfEvent& event, int tid, int cpu) = 0;
  virtual void close(int descriptor) = 0;
  /// Reads a count. \return false if the kernel gives none.
  virtual bool read(int descriptor, Count& count) = 0;
  /// Number of descriptors that this process may still open.
  [[nodiscard]] virtual std::size_t room() const = 0;
};

/// The real one.
std::shared_ptr<AttachedEvents> system_attached_events();

}  // namespace charm::os
