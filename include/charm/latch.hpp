// A latch that suspends only the waiting task, not its worker.
#pragma once

#include <charm/detail/wait_list.hpp>

#include <chrono>
#include <cstddef>
#include <stop_token>

namespace charm {

/// As std::latch: once it has counted down to zero it stays open. For tasks, and for threads that are not workers.
/// Among the bodies of one all_do, charm::barrier() is cheaper.
class latch {
 public:
  /// \param count number of count_down() calls that open the latch; not negative.
  explicit latch(std::ptrdiff_t count) noexcept : count_(count) {}
  latch(const latch&) = delete;
  latch& operator=(const latch&) = delete;

  /// Subtracts `by` from the count, which must not become negative; opens the latch when the count is zero.
  void count_down(std::ptrdiff_t by = 1) noexcept;
  /// Whether the latch is open.
  [[nodiscard]] bool try_wait() noexcept;
  /// Waits until the latch is open. All waits \throws Error (cancelled) if the task group or loop that the task belongs
  /// to is cancelled meanwhile.
  void wait() { wait_deadline(detail::Completion::never); }
  /// As wait(), but the wait ends when stop is requested. \return whether the latch is open.
  bool wait(const std::stop_token& stop) { return wait_deadline(detail::Completion::never, &stop); }
  /// Counts down and waits.
  void arrive_and_wait(std::ptrdiff_t by = 1) {
    count_down(by);
    wait();
  }
  /// As wait(), but waits no longer than `duration`. \return whether the latch was open in time.
  template <class Rep, class Period>
  bool wait_for(const std::chrono::duration<Rep, Period>& duration) {
    return wait_deadline(detail::deadline_after(duration));
  }
  /// Like wait_for, until a point in time.
  template <class Clock, class Duration>
  bool wait_until(const std::chrono::time_point<Clock, Duration>& time) {
    return wait_deadline(detail::deadline_at(time));
  }

 private:
  bool wait_deadline(std::int64_t deadline, const std::stop_token* stop = nullptr);

  detail::SpinLock lock_;
  std::ptrdiff_t count_;
  detail::WaitList waiters_;
};

}  // namespace charm
