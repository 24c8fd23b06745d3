// A latch that suspends only the waiting task, not its worker.
#pragma once

#include <charm/detail/wait_list.hpp>

#include <chrono>
#include <cstddef>
#include <stop_token>

namespace charm {

/// As std::latch: once it has counted down it stays open. For tasks and for threads that are not
/// workers. Among the bodies of one all_do, charm::barrier() is cheaper.
class latch {
 public:
  /// \param count of count_down() calls that open it; not negative.
  explicit latch(std::ptrdiff_t count) noexcept : count_(count) {}
  latch(const latch&) = delete;
  latch& operator=(const latch&) = delete;

  /// Not beyond zero.
  void count_down(std::ptrdiff_t by = 1) noexcept;
  /// Whether it is open.
  [[nodiscard]] bool try_wait() noexcept;
  /// Waits until it is open. This and the limited forms \throws Error (cancelled) where the task group or loop that the
  /// task belongs to is cancelled meanwhile.
  void wait() { wait_deadline(detail::Completion::never); }
  /// Waits until stop is requested at most. \return whether it is open.
  bool wait(const std::stop_token& stop) { return wait_deadline(detail::Completion::never, &stop); }
  /// Counts down and waits.
  void arrive_and_wait(std::ptrdiff_t by = 1) {
    count_down(by);
    wait();
  }
  /// \return whether it was open before the time was over.
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
