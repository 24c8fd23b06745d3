// The end of a run, as its workers count it: whether it has begun, which workers are idle since then, and whether it is
// over. One per runtime. termination.cpp has the look that uses it, and the argument why nothing is left behind.
//
// Idle before stirred: a worker that goes on after it was idle leaves the count first, and then says that it has
// stirred. A look that reads "all idle", then the queues, and then "all idle" and the same number of stirrings, has
// seen a moment at which nobody ran a job. (tests/model/ending.pml)
#pragma once

#include <charm/detail/assert.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "os/threads/futex.hpp"

namespace charm::sched {

class Ending {
 public:
  // ---- whoever ends the run ----

  /// From now on idle workers look whether nothing is left to do. Beginning again changes nothing.
  void begin() noexcept { begun_.store(true, std::memory_order_seq_cst); }
  /// The start has failed: what has been started ends at once.
  void give_up() noexcept {
    CHARM_ASSERT(!has_begun(), "only a run whose end has not begun is given up");
    close();
  }

  // ---- a worker that finds nothing to do ----

  void enter_idle() noexcept {
    CHARM_ASSERT(has_begun(), "workers are counted as idle only when the end has begun");
    idle_.fetch_add(1, std::memory_order_seq_cst);
  }
  /// It is about to take a job.
  void leave_idle() noexcept {
    [[maybe_unused]] const int before = idle_.fetch_sub(1, std::memory_order_seq_cst);
    CHARM_ASSERT(before > 0, "only a worker that is counted as idle leaves the count");
    stirred_.fetch_add(1, std::memory_order_seq_cst);
  }
  /// Nothing is left to do: all workers leave.
  void finish() noexcept {
    CHARM_ASSERT(has_begun(), "only an end that has begun comes to its close");
    close();
  }
  /// Sleeps until the close, but not longer than that.
  void rest(std::chrono::nanoseconds most) noexcept { os::futex_wait(over_, 0, most); }

  // ---- any thread ----

  [[nodiscard]] bool has_begun(std::memory_order order = std::memory_order_seq_cst) const noexcept {
    return begun_.load(order);
  }
  [[nodiscard]] bool is_over() const noexcept { return over_.load(std::memory_order_acquire) != 0; }
  [[nodiscard]] bool all_idle(std::size_t workers) const noexcept {
    return idle_.load(std::memory_order_seq_cst) == static_cast<int>(workers);
  }
  /// How often an idle worker has gone on.
  [[nodiscard]] std::uint64_t stirred() const noexcept { return stirred_.load(std::memory_order_seq_cst); }

 private:
  void close() noexcept {
    over_.store(1, std::memory_order_release);
    os::futex_wake(over_, std::numeric_limits<int>::max());
  }

  std::atomic<bool> begun_{false};
  os::FutexWord over_{0};
  std::atomic<int> idle_{0};
  std::atomic<std::uint64_t> stirred_{0};
};

}  // namespace charm::sched
