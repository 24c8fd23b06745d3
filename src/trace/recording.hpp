// The events of all workers, gathered before they are written.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/event.hpp"

namespace charm::trace {

/// The core of a worker at the start; -1 if something is not known.
struct Place {
  int worker = 0, cpu = -1, chiplet = -1, node = -1;
};

/// A decision with its reasons as a JSON object, or the new value of a counter.
struct Note {
  std::uint64_t at = 0;
  std::string name;
  std::string arguments;  // empty: a counter
  double value = 0;
};

struct WorkerEvent {
  Event event;
  int worker = 0;
};

struct Recording {
  std::vector<Place> places;
  std::vector<WorkerEvent> events;  // in the order of each worker; sort() merges the workers
  std::vector<Note> notes;
  std::uint64_t start = 0, now = 0;  // ticks
  double ns_per_tick = 1;
  std::uint64_t dropped = 0;

  /// Nanoseconds since the start.
  [[nodiscard]] double ns(std::uint64_t ticks) const {
    return ticks <= start ? 0 : static_cast<double>(ticks - start) * ns_per_tick;
  }
};

}  // namespace charm::trace
