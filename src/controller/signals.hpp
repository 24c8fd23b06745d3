// The input of a controller at a tick: what a control group of workers did since the previous tick. The controller does
// not know where a number comes from (a clock, hardware counters, a model).
#pragma once

#include <span>

#include "controller/counts.hpp"

namespace charm::controller {

/// What one worker did in the interval.
struct WorkerSignals : Counts {
  bool counters = false;  // as in Signals, of this worker
  bool hides_chiplets = false;
};

struct Signals : Counts {
  double time = 0;          // s, at the end of the interval
  double elapsed = 0;       // s, length of the interval
  int workers = 0;          // number of workers in the control group that do not rest
  double resting_busy = 0;  // worker-seconds inside of tasks of those that are to rest
  bool counters = false;    // whether instructions and fills are measured, of at least half of what was done
  bool hides_chiplets =
      false;  // lines of other chiplets are counted among those of the own one, so that 0 says nothing
  std::span<const WorkerSignals> each;  // by worker, for a controller that asks for them by spreads(); else empty
};

}  // namespace charm::controller
