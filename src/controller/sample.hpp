// The numbers that the default controller compares, computed from the signals: how fast the program is, how many fills
// it needs, and what it waits for.
//
// intensity (fills per 1,000 instructions) is a property of the program, not of its placement, because every miss of
// the private caches is filled from somewhere. So it tells a new phase from the effect of a move. The stalls depend on
// the placement and say what a move could gain.
#pragma once

#include <optional>
#include <utility>

#include "controller/setup.hpp"

namespace charm::controller {

struct Sample {
  double time = 0;
  double throughput = 0;       // work per second
  bool counters = false;       // whether the stalls are known
  double intensity = 0;        // fills per 1,000 instructions; 0 where unknown or not to be trusted
  double stall_remote = -1;    // share of busy time spent on other chiplets' caches
  double stall_dram = -1;      // share of busy time spent on memory
  double memory_gb_per_s = 0;  // lines from memory, of all workers together
  double grain = 0;            // mean seconds of a task; 0 if tasks are not counted
  double idle = 0;             // share of the workers' time outside of tasks

  [[nodiscard]] double stall() const { return stall_remote + stall_dram; }
};

/// Work is counted in the best unit that was ever given: the user's own, else weighted tasks, else instructions.
class Sampler {
 public:
  explicit Sampler(const Traits& traits) : traits_(traits) {}

  /// The sample of an interval; nothing if it contains no work.
  std::optional<Sample> sample(const Signals& signals);

  /// Whether the unit is work that was done: instructions are also retired by threads that only wait.
  [[nodiscard]] bool counts_work() const { return unit_ == Unit::tasks || unit_ == Unit::user; }
  [[nodiscard]] bool counts_by_user() const { return unit_ == Unit::user; }

  /// True once after the unit changed: throughputs from before cannot be compared with those from now on.
  bool unit_changed() { return std::exchange(changed_, false); }

 private:
  enum class Unit { none, instructions, tasks, user };
  Traits traits_;
  Unit unit_ = Unit::none;
  bool changed_ = false;
};

/// Adds the signals of a second interval to those of the first.
void add(Signals& sum, const Signals& more);

}  // namespace charm::controller
