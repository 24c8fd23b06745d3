// Who leaves jobs to other workers while a bound task waits with a time limit; bound_limits.cpp has the reason and the
// rules.
#pragma once

#include <charm/detail/assert.hpp>

#include <atomic>
#include <cstddef>

namespace charm::sched {

/// Bound tasks that wait on a worker with a time limit. Used by its owner alone.
class BoundLimits {
 public:
  void begin_wait() noexcept { ++waiting_; }
  void end_wait() noexcept {
    CHARM_ASSERT(waiting_ > 0, "a bound task ends its wait on the worker where it has begun");
    --waiting_;
  }
  [[nodiscard]] bool any() const noexcept { return waiting_ != 0; }

 private:
  int waiting_ = 0;
};

/// How many workers of a runtime leave jobs to others.
class LeavingWorkers {
 public:
  void add() noexcept { count_.fetch_add(1, std::memory_order_seq_cst); }
  void remove() noexcept {
    [[maybe_unused]] const int before = count_.fetch_sub(1, std::memory_order_seq_cst);
    CHARM_ASSERT(before > 0, "only a worker that has left jobs to others takes them again");
  }
  [[nodiscard]] bool any() const noexcept { return count_.load(std::memory_order_seq_cst) > 0; }
  [[nodiscard]] bool all(std::size_t workers) const noexcept {
    const int count = count_.load(std::memory_order_seq_cst);
    CHARM_ASSERT(count <= static_cast<int>(workers), "a worker is counted once as leaving jobs");
    return count >= static_cast<int>(workers);
  }

 private:
  std::atomic<int> count_{0};
};

/// Whether a worker leaves jobs to others. Changed by its owner alone.
class LeavesJobs {
 public:
  [[nodiscard]] bool now(std::memory_order order = std::memory_order_relaxed) const noexcept {
    return leaves_.load(order);
  }
  /// Announces it, before the worker looks for a free one.
  void begin(LeavingWorkers& all) noexcept {
    if (!leaves_.exchange(true, std::memory_order_seq_cst)) all.add();
  }
  void end(LeavingWorkers& all) noexcept {
    if (now() && leaves_.exchange(false, std::memory_order_seq_cst)) all.remove();
  }

 private:
  std::atomic<bool> leaves_{false};
};

}  // namespace charm::sched
