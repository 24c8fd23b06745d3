// A one-shot event with one waiter: the end of a job. 0 while it is pending, then either done, or the waiter's address
// until it is done. Waiting suspends a fiber (or, on a thread that is no worker, sleeps); it never blocks a worker.
#pragma once

#include <atomic>
#include <cstdint>

namespace charm::detail {

class Completion {
 public:
  [[nodiscard]] bool done() const noexcept { return state_.load(std::memory_order_acquire) == done_value; }

  void wait() {
    if (!done()) wait_slow();
  }

  /// The last touch of the object: the waiter may destroy it at once. Where the caller is a job that the scheduler runs
  /// and this is its last act, `next` lets the worker go on with the waiter directly.
  void complete(bool next = false) noexcept {
    std::uintptr_t waiter = state_.exchange(done_value, std::memory_order_acq_rel);
    if (waiter != 0) wake(waiter, next);
  }

  static constexpr std::uintptr_t done_value = 1;

 private:
  void wait_slow();
  static void wake(std::uintptr_t waiter, bool next) noexcept;
  std::atomic<std::uintptr_t> state_{0};
};

}  // namespace charm::detail
