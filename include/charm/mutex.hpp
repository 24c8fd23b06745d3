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

/// Works with std::lock_guard, std::unique_lock and std::scoped_lock, in tasks and in threads that are no workers
/// (which sleep). May be held while the task suspends, and unlocked on another worker than it was locked on. Not
/// recursive.
///
/// A task that finds the mutex free takes it, even if others wait (barging), because a woken waiter needs time to
/// get going. A waiter that was overtaken twice is handed the mutex directly, so nobody starves.
class mutex {
 public:
  mutex() = default;
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;

  /// Waits until it is free, and takes it.
  void lock() {
    lock_.lock();
    if (taken_) {
      lock_slow(detail::Completion::never);
      return;
    }
    take();
    lock_.unlock();
  }
  /// Takes it if it is free. \return whether it did.
  bool try_lock() noexcept {
    lock_.lock();
    bool got = !taken_;
    if (got) take();
    lock_.unlock();
    return got;
  }
  /// \return whether the mutex was taken before the time was over.
  template <class Rep, class Period>
  bool try_lock_for(const std::chrono::duration<Rep, Period>& duration) {
    return try_lock() || lock_until(detail::deadline_after(duration));
  }
  /// Waits until then at most. \return whether it was taken.
  template <class Clock, class Duration>
  bool try_lock_until(const std::chrono::time_point<Clock, Duration>& time) {
    return try_lock() || lock_until(detail::deadline_at(time));
  }
  /// Must be called by the task, or thread, that holds it.
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
