// Semaphores that suspend only the waiting task, not its worker.
#pragma once

#include <charm/detail/wait_list.hpp>

#include <chrono>
#include <cstddef>
#include <limits>
#include <stop_token>

namespace charm {
namespace detail {

/// A count that can be decremented and incremented. What is released goes to waiters, in their order, before any
/// later caller.
class Semaphore {
 public:
  explicit Semaphore(std::ptrdiff_t count) noexcept : count_(count) {}
  Semaphore(const Semaphore&) = delete;
  Semaphore& operator=(const Semaphore&) = delete;
  void release(std::ptrdiff_t more) noexcept;
  bool try_acquire() noexcept;
  bool acquire_until(std::int64_t deadline, const std::stop_token* stop = nullptr);

 private:
  SpinLock lock_;
  std::ptrdiff_t count_;
  WaitList waiters_;
};

}  // namespace detail

/// As std::counting_semaphore, for tasks, and for threads that are not workers. Waiters are served in the order in
/// which they came.
template <std::ptrdiff_t most = (std::numeric_limits<std::ptrdiff_t>::max)()>
class counting_semaphore {
 public:
  /// \param count the count at the beginning; 0 to max().
  explicit counting_semaphore(std::ptrdiff_t count) noexcept : semaphore_(count) {}
  /// The largest count.
  static constexpr std::ptrdiff_t(max)() noexcept { return most; }

  /// Adds `more` to the count, and wakes as many waiters. The caller must keep the count at or below max().
  void release(std::ptrdiff_t more = 1) noexcept { semaphore_.release(more); }
  /// Waits until the count is above zero, and subtracts one. All waits \throws Error (cancelled) if the task group or
  /// loop that the task belongs to is cancelled meanwhile; then nothing was subtracted.
  void acquire() { semaphore_.acquire_until(detail::Completion::never); }
  /// As acquire(), but the wait ends when stop is requested. \return whether one was subtracted.
  [[nodiscard]] bool acquire(const std::stop_token& stop) {
    return semaphore_.acquire_until(detail::Completion::never, &stop);
  }
  /// Subtracts one if the count is above zero. \return whether it did.
  [[nodiscard]] bool try_acquire() noexcept { return semaphore_.try_acquire(); }
  /// As acquire(), but waits no longer than `duration`. \return whether one was subtracted.
  template <class Rep, class Period>
  [[nodiscard]] bool try_acquire_for(const std::chrono::duration<Rep, Period>& duration) {
    return semaphore_.try_acquire() || semaphore_.acquire_until(detail::deadline_after(duration));
  }
  /// Like try_acquire_for, until a point in time.
  template <class Clock, class Duration>
  [[nodiscard]] bool try_acquire_until(const std::chrono::time_point<Clock, Duration>& time) {
    return semaphore_.try_acquire() || semaphore_.acquire_until(detail::deadline_at(time));
  }

 private:
  detail::Semaphore semaphore_;
};

/// A semaphore whose count is 0 or 1.
using binary_semaphore = counting_semaphore<1>;

}  // namespace charm
