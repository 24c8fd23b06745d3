// A mutex that suspends only the task that waits for it, not its worker.
#pragma once

#include <charm/detail/wait_list.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>

namespace charm {
namespace detail {
/// The id of the calling task, as TaskInfo::id; 0 outside of tasks.
std::uint64_t task_id() noexcept;
}  // namespace detail

/// A mutex that works with std::lock_guard, std::unique_lock and std::scoped_lock, in tasks and in threads that are not
/// workers (which sleep). A task may be suspended while it holds the mutex, and unlock it on another worker. Not
/// recursive. Cancelling a group does not end the waits for it.
///
/// A task that finds the mutex free takes it, even if others wait (barging), because a woken waiter needs time until it
/// runs. A waiter that was overtaken twice is handed the mutex directly, so no waiter starves.
class mutex {
 public:
  mutex() = default;
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;

  /// Waits until the mutex is free, and takes it.
  void lock() {
    lock_.lock();
    if (taken_) {
      lock_slow(detail::Completion::never);
      return;
    }
    take();
    lock_.unlock();
  }
  /// Takes the mutex if it is free. \return whether it did.
  bool try_lock() noexcept {
    lock_.lock();
    bool got = !taken_;
    if (got) take();
    lock_.unlock();
    return got;
  }
  /// As lock(), but waits no longer than `duration`. \return whether the mutex was taken.
  template <class Rep, class Period>
  bool try_lock_for(const std::chrono::duration<Rep, Period>& duration) {
    return try_lock() || lock_until(detail::deadline_after(duration));
  }
  /// Like try_lock_for, until a point in time.
  template <class Clock, class Duration>
  bool try_lock_until(const std::chrono::time_point<Clock, Duration>& time) {
    return try_lock() || lock_until(detail::deadline_at(time));
  }
  /// Releases the mutex. The task, or thread, that holds it must call this.
  void unlock() noexcept {
    lock_.lock();
    holder_.store(0, std::memory_order_relaxed);
    if (!waiters_.empty()) return unlock_slow();
    taken_ = false;
    lock_.unlock();
  }

  /// The task that holds it, as TaskInfo::id; 0: nobody, or a thread outside. For reports: it may have changed already.
  [[nodiscard]] std::uint64_t holder() const noexcept { return holder_.load(std::memory_order_relaxed); }

 private:
  static constexpr int patience = 2;
  void take() noexcept {
    taken_ = true;
    holder_.store(detail::task_id(), std::memory_order_relaxed);
  }
  bool lock_until(std::int64_t deadline);
  bool lock_slow(std::int64_t deadline);
  void unlock_slow() noexcept;

  detail::SpinLock lock_;
  bool taken_ = false;
  std::atomic<std::uint64_t> holder_{0};
  detail::WaitList waiters_;
};

}  // namespace charm
