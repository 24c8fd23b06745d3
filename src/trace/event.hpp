// The events that a worker records: of fixed size, each with a time stamp and up to four numbers whose meaning depends
// on the kind (docs/trace.md describes the file that is made of them).
#pragma once

#include <cstdint>

namespace charm::trace {

enum class Kind : std::uint8_t {
  spawn,    // a: job, b: the task that made it
  begin,    // a: task, b: job, c: its function, d: the task that probably made it, if no spawn was recorded
  end,      // a: task
  suspend,  // a: task, b: fiber
  resume,   // a: task, b: fiber, number: the worker that it left
  ready,    // b: fiber, c: the task that made it ready
  steal,    // number: victim, detail: Distance
  wake,     // number: the worker that was woken
  state,    // detail: the State that begins
  move,     // number: cpu, a: chiplet, b: node (as signed numbers)
  sample,   // detail: Gauge, a: value
};

enum class Distance : std::uint8_t { chiplet, node, far };

/// The states of a worker.
enum class State : std::uint8_t { searching, busy, parked };

enum class Gauge : std::uint8_t { stacks, resident_bytes };

struct Event {
  std::uint64_t at = 0;  // ticks
  std::uint64_t a = 0, b = 0, c = 0, d = 0;
  std::int32_t number = 0;
  Kind kind = Kind::begin;
  std::uint8_t detail = 0;
};
static_assert(sizeof(Event) == 48);

}  // namespace charm::trace
