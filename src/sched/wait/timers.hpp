// Time limits of suspended fibers: a heap per chiplet, and one parked worker that sleeps only until the next of them.
//
// There is no timer thread. A worker checks its own chiplet's heap between two jobs, at most every 10 us; a searching
// worker checks all heaps; and one parked worker, the keeper, sleeps only until the earliest deadline. So no time limit
// is late while any worker is idle, and idle workers use no cpu until then.
//
// - One keeper: At most one worker is the keeper. `keeper_until_` is the time when it will check; `Completion::never`
//   if there is no keeper or no deadline. A keeper gives the role up when it stops being parked.
// - The keeper sees the earliest deadline: add() publishes the new earliest deadline, and the adding worker, before it
//   runs another job (before_job) or parks (sleep_limit), compares it with keeper_until_. The keeper publishes
//   keeper_until_ and then reads the deadlines. All four are sequentially consistent, so either the worker sees that
//   the keeper would be late, and wakes it (or parks as the keeper in its place), or the keeper has seen the deadline.
//   A worker that is replaced as keeper undoes what it has written to keeper_until_ meanwhile.
// - A keeper leaves a successor: A keeper that leaves while a deadline is pending wakes another sleeper, which takes
//   the role.
// - Timers are touched in their heap: Other threads access a timer only under its heap's lock and while it is in the
//   heap; remove() takes this lock. So its owner may leave its stack frame after remove().
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "fiber/fiber.hpp"
#include "sched/run/worker.hpp"
#include "sched/wait/timer_heap.hpp"

namespace charm::sched {

class Timers {
 public:
  /// \param shards at least 1; workers of one chiplet share one.
  explicit Timers(Runtime& runtime, std::size_t shards);

  /// Adds a timer whose `deadline_ns` and `state` are set. Called on a worker, which suspends the task right after.
  void add(Timer& timer, Worker& worker) noexcept;
  /// Removes a timer after the wait, on any thread. It may have expired or not.
  void remove(Timer& timer) noexcept;

  /// Whether any fiber waits with a time limit. Exact where nobody adds or removes.
  [[nodiscard]] bool pending() const noexcept;

  /// A worker calls it before it runs a job.
  void before_job(Worker& worker) noexcept {
    if (shard_of(worker).earliest.load(std::memory_order_relaxed) != never) [[unlikely]]
      look(worker);
  }
  /// Makes the fibers ready whose time has come, on any chiplet. \param now_ns 0: now.
  void fire_all(Worker& worker, std::int64_t now_ns = 0) noexcept;

  /// How long a parked worker may sleep, in ns; below 0 without a limit. \param parked whether the caller still is.
  std::int64_t sleep_limit(Worker& worker, bool parked) noexcept;
  /// A worker calls it when it is not parked any more.
  void leave(Worker& worker) noexcept;

 private:
  static constexpr std::int64_t never = INT64_MAX;
  struct alignas(64) Shard {
    std::atomic<std::int64_t> earliest{never};
    std::atomic<std::int64_t> waiting{0};  // timers that were added and not removed, expired or not
    int chiplet = 0;
    std::mutex mutex;
    TimerHeap heap;
    void write_deadline() noexcept {
      const Timer* first = heap.earliest();
      earliest.store(first == nullptr ? never : first->deadline_ns, std::memory_order_seq_cst);
    }
  };
  /// The heap of the worker's chiplet; the first one for a worker that is not bound.
  [[nodiscard]] Shard& shard_of(const Worker& worker) const noexcept {
    const auto chiplet = static_cast<std::size_t>(worker.worker_core().chiplet);
    return *shards_[chiplet < shards_.size() ? chiplet : 0];
  }
  void fire(Shard& shard, Worker& worker, std::int64_t now_ns) noexcept;
  void look(Worker& worker) noexcept;
  [[nodiscard]] std::int64_t earliest() const noexcept;
  bool ring_somebody(const Worker& not_this) noexcept;

  Runtime& runtime_;
  std::vector<std::unique_ptr<Shard>> shards_;
  alignas(64) std::atomic<Worker*> keeper_{nullptr};
  std::atomic<std::int64_t> keeper_until_{never};
  std::atomic<bool> ringing_{false};  // a worker is about to call sleep_limit or leave
};

/// Ends a task's wait early (charm/detail/completion.hpp). \return the fiber to make ready, or nullptr if the waiter
/// has not been suspended yet or was woken already.
fiber::Fiber* expire(std::atomic<std::uintptr_t>& state) noexcept;

}  // namespace charm::sched
