// The waits of a runtime: with time limits, of what may be cancelled, in blocking code, and in vain.
#pragma once

#include <cstddef>
#include <memory>

#include "sched/debug/deadlock.hpp"
#include "sched/wait/blocking_pool.hpp"
#include "sched/wait/cancelling.hpp"
#include "sched/wait/timers.hpp"

namespace charm::sched {

struct Waits {
  Waits(Runtime& runtime, std::size_t chiplets, std::size_t workers, std::size_t blocking_threads)
      : timers(runtime, chiplets),
        cancellable(workers),
        deadlock(runtime),
        blocking(std::make_unique<BlockingPool>(runtime, blocking_threads)) {}

  Timers timers;
  CancellableWaits cancellable;
  DeadlockWatch deadlock;
  std::unique_ptr<BlockingPool> blocking;
};

}  // namespace charm::sched
