// Counters of a machine's uncore (memory controllers, buses), as an interface, so that tests can put a machine of their
// own in place of this one's. They count the events of all programs, so they need more rights than a program's own
// events: kernel.perf_event_paranoid of 0 or less, or CAP_PERFMON.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

namespace charm::os {

struct UncoreEvent {
  std::uint32_t type = 0;                    ///< of the device, from sysfs
  std::array<std::uint64_t, 3> config = {};  ///< config, config1 and config2
  friend bool operator==(const UncoreEvent&, const UncoreEvent&) = default;
};

struct UncoreCount {
  std::uint64_t value = 0;
  std::uint64_t enabled_ns = 0;
  std::uint64_t running_ns = 0;  ///< less than enabled_ns where events take turns
};

class UncoreEvents {
 public:
  UncoreEvents() = default;
  virtual ~UncoreEvents() = default;
  UncoreEvents(const UncoreEvents&) = delete;
  UncoreEvents& operator=(const UncoreEvents&) = delete;

  /// \param cpu one of the device's cpumask: the instance that is counted. \return a descriptor, or -errno.
  virtual int open(const UncoreEvent& event, int cpu) = 0;
  virtual void close(int descriptor) = 0;
  /// Nothing where the kernel gives none.
  virtual std::optional<UncoreCount> read(int descriptor) = 0;
};

/// The real one.
std::shared_ptr<UncoreEvents> system_uncore_events();

}  // namespace charm::os
