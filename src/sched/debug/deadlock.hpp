// Detects deadlocks: all workers sleep, no time limit is pending, no task is in blocking code, and tasks have
// waited for a second. The last worker that falls asleep sleeps for only a second, once; so the check costs an idle
// runtime one wake-up, and a busy one nothing.
//
// Threads outside may still wake a task, except those that themselves sleep in the runtime. If there are
// others, the report says so, and the program is not aborted.
#pragma once

#include <atomic>
#include <cstdint>

namespace charm::sched {

class Runtime;

class DeadlockWatch {
 public:
  explicit DeadlockWatch(Runtime& runtime) : runtime_(runtime) {}

  /// Called by a worker that goes to sleep. \param limit_ns how long it would sleep, below 0 without a limit; lowered
  /// if it has to check for a deadlock. \return whether it has to call look() when the time is over.
  bool watch(std::int64_t& limit_ns) noexcept;
  /// Called when a worker has found something to do.
  void active() noexcept {
    if (looked_.load(std::memory_order_relaxed)) looked_.store(false, std::memory_order_relaxed);
  }
  void look() noexcept;

 private:
  Runtime& runtime_;
  std::atomic<bool> looked_{false};
  std::atomic<bool> reported_{false};
};

}  // namespace charm::sched
