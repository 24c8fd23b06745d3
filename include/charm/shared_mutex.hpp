// A mutex that many readers, or one writer, hold; a wait for it suspends only the task, not its worker.
#pragma once

#include <charm/detail/wait_list.hpp>

#include <chrono>
#include <cstdint>

namespace charm {

/// As std::shared_timed_mutex: works with std::shared_lock, std::unique_lock and std::lock_guard, in tasks and in
/// threads that are not workers (which sleep). A task may be suspended while it holds the mutex, and unlock it on
/// another worker. Cancelling a group does not end the waits for it.
///
/// Waiters are served in the order in which they came, neighbouring readers together. A reader that comes while others
/// wait queues behind them, so neither writers nor readers starve. Therefore a task that holds the mutex for reading
/// must not take it for reading again: it would wait behind a writer that waits for the task. All readers write the
/// same cache line; if they only read a few words, and often, charm::mutex costs no more.
class shared_mutex {
 public:
  shared_mutex() = default;
  shared_mutex(const shared_mutex&) = delete;
  shared_mutex& operator=(const shared_mutex&) = delete;

  /// Waits until nobody holds the mutex, and takes it for writing.
  void lock() { acquire(Kind::writer, detail::Completion::never); }
  /// Takes the mutex for writing if nobody holds it or waits for it. \return whether it did.
  bool try_lock() noexcept { return try_acquire(Kind::writer); }
  /// As lock(), but waits no longer than `duration`. \return whether the mutex was taken.
  template <class Rep, class Period>
  bool try_lock_for(const std::chrono::duration<Rep, Period>& duration) {
    return try_lock() || acquire(Kind::writer, detail::deadline_after(duration));
  }
  /// Like try_lock_for, until a point in time.
  template <class Clock, class Duration>
  bool try_lock_until(const std::chrono::time_point<Clock, Duration>& time) {
    return try_lock() || acquire(Kind::writer, detail::deadline_at(time));
  }
  /// Releases the mutex. The task, or thread, that holds it for writing must call this.
  void unlock() noexcept;

  /// Waits until no writer holds the mutex or waits for it, and takes it for reading.
  void lock_shared() { acquire(Kind::reader, detail::Completion::never); }
  /// Takes the mutex for reading if no writer holds it or waits for it. \return whether it did.
  bool try_lock_shared() noexcept { return try_acquire(Kind::reader); }
  /// As lock_shared(), but waits no longer than `duration`. \return whether the mutex was taken.
  template <class Rep, class Period>
  bool try_lock_shared_for(const std::chrono::duration<Rep, Period>& duration) {
    return try_lock_shared() || acquire(Kind::reader, detail::deadline_after(duration));
  }
  /// Like try_lock_shared_for, until a point in time.
  template <class Clock, class Duration>
  bool try_lock_shared_until(const std::chrono::time_point<Clock, Duration>& time) {
    return try_lock_shared() || acquire(Kind::reader, detail::deadline_at(time));
  }
  /// Releases the mutex once for reading: call it as often as the mutex was taken for reading.
  void unlock_shared() noexcept;

 private:
  // Invariants, whenever the lock is free:
  // - The state counts readers: state_ is the number of readers that hold it, or -1: a writer does.
  // - Admit whoever can be admitted: The first waiter in the list cannot have the mutex: it is a writer and state_ is
  //   not 0, or a reader and state_ is -1. So any function that changes state_, or removes the first waiter, admits
  //   those that can be admitted. A waiter that is admitted holds the mutex already when it is woken.
  enum class Kind : int { reader, writer };
  [[nodiscard]] bool free_for(Kind kind) const noexcept { return kind == Kind::writer ? state_ == 0 : state_ >= 0; }
  void take(Kind kind) noexcept { state_ = kind == Kind::writer ? -1 : state_ + 1; }
  bool try_acquire(Kind kind) noexcept;
  bool acquire(Kind kind, std::int64_t deadline);
  detail::Waiter* admit() noexcept;

  detail::SpinLock lock_;
  std::int64_t state_ = 0;
  detail::WaitList waiters_;  // Waiter::number: a Kind
};

}  // namespace charm
