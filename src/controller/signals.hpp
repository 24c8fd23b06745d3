// What a controller is told at a tick: what a gang of workers did since the tick before. Where a number comes from (a
// clock, hardware counters, a model) is not its business.
#pragma once

#include <array>
#include <cstddef>

namespace charm::controller {

/// Where a cache line that a core asked for came from.
enum class Fill { same_chiplet, other_chiplet, remote_cache, local_dram, remote_dram };
inline constexpr std::size_t fill_sources = 5;

struct Signals {
  double time = 0;        // s, at the end of the interval
  double elapsed = 0;     // s, length of the interval
  int workers = 0;        // of the gang
  double busy = 0;        // worker-seconds inside of tasks
  double tasks = 0;       // tasks finished
  double user_work = 0;   // in the program's own units; 0 where it gives none
  double task_work = 0;   // tasks weighted by the cost of their kind; 0 where unknown
  bool counters = false;  // whether the numbers below are measured
  double instructions = 0;
  std::array<double, fill_sources> fills{};

  [[nodiscard]] double fill(Fill source) const { return fills[static_cast<std::size_t>(source)]; }
};

}  // namespace charm::controller
