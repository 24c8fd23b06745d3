// Measures what counting adds to a switch between threads. The kernel saves and loads the counters at each switch. If a
// hypervisor emulates them each access traps, and a program whose threads wake often is slowed down by being watched.
// So the cost is measured before a program is watched.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "os/perf/attached_events.hpp"
#include "os/threads/handover.hpp"

namespace charm::counters {

struct SwitchCost {
  double plain_s = 0;      ///< a switch between threads that are not counted
  double counted_s = 0;    ///< between threads that are
  std::size_t events = 0;  ///< by so many events

  /// Seconds that they add to a switch; 0 where noise says that they make it faster.
  [[nodiscard]] double added_s() const { return counted_s > plain_s ? counted_s - plain_s : 0; }
};

struct Effort {
  int rounds = 5;
  int switches = 100;  ///< in a round
};
/// For the start of a program: less than a millisecond, or a few where each access to a counter traps.
inline constexpr Effort quick_measurement{3, 20};

/// Measures it in turns with and without the events; of each the least disturbed round counts. Takes a few milliseconds
/// where counters are real. Nothing where the kernel gives no such events, or no switch could be measured.
std::optional<SwitchCost> measure_switch_cost(os::AttachedEvents& attached, const std::vector<os::PerfEvent>& events,
                                              os::Handover& handover, Effort effort = {});

}  // namespace charm::counters
