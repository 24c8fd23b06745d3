// Detects deadlocks: all workers sleep, no time limit is pending, no task is in blocking code, and tasks or threads of
// the program have waited for a second.
//
// The last one looks: the last worker that falls asleep sleeps for only a second, once, and then looks; so the check
// costs an idle runtime one wake-up, and a busy one nothing. A thread of the program that waits without a time limit
// (sched/wait/outside_waits.hpp), or a thread of the blocking pool, may do so after all workers have looked in vain: it
// looks a second later itself. If a worker is awake then, that worker has to look again before it sleeps: the thread
// first takes back that it has looked, and then reads whether all sleep; the worker first stores that it sleeps, and
// then reads whether it has looked. All four are sequentially consistent. (tests/model/deadlock.pml)
//
// Threads outside may still wake a task, except those that themselves sleep in the runtime. If there are
// others, the report says so, and the program is not aborted.
//
// Waits are read after the threads are counted: a thread that wakes somebody and ends at once is not counted, and what
// it woke may still have been listed as waiting before. So where no thread is left outside, the waits are read once
// more, and the deadlock is certain if none of them is over and all workers still sleep.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

namespace charm::sched {

class Runtime;

class DeadlockWatch {
 public:
  static constexpr std::int64_t after_ns = 1000000000;  // how long all have waited

  explicit DeadlockWatch(Runtime& runtime) : runtime_(runtime) {}

  /// Called by a worker that goes to sleep. \param limit_ns how long it would sleep, below 0 without a limit; lowered
  /// if it has to check for a deadlock. \return whether it has to call look() when the time is over.
  bool watch(std::int64_t& limit_ns) noexcept;
  /// Called when a worker has found something to do.
  void active() noexcept {
    if (looked_.load(std::memory_order_relaxed)) looked_.store(false, std::memory_order_relaxed);
  }
  void look() noexcept;
  /// Called for the main runtime by a thread that is no worker and has waited for `after_ns`.
  void look_from_outside() noexcept;

 private:
  [[nodiscard]] bool is_on() const noexcept;
  struct Waits {
    std::string lines;
    int tasks = 0;
    int threads = 0;     // of the program
    bool moves = false;  // somebody was woken less than a second ago, or is about to be
  };
  [[nodiscard]] Waits read_waits() const;
  [[nodiscard]] bool is_still(const Waits& before) const;
  void report(int outside, const Waits& waits) const;

  Runtime& runtime_;
  std::atomic<bool> looked_{false};
  // Of the main runtime, once each: a deadlock unless a thread outside comes, and one that is certain.
  std::atomic<bool> suspected_{false};
  std::atomic<bool> certain_{false};
};

}  // namespace charm::sched
