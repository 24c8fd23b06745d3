// A mutex that many readers, or one writer, hold; only the task waits for it, not its worker.
#pragma once

#include <charm/detail/wait_list.hpp>

#include <chrono>
#include <cstdint>

namespace charm {

/// As std::shared_timed_mutex: works with std::shared_lock, std::unique_lock and std::lock_guard, in tasks and in
/// threads that are no workers (which sleep). May be held while the task suspends, and unlocked on another worker than
/// it was locked on.
///
/// First come, first served, readers together: a reader that comes while somebody waits queues behind him, so neither
/// writers nor readers starve. So a task must not take the lock again for reading while it holds it: it would wait
/// behind a writer that waits for it. All readers write the same cache line; where they only look at some words for a
/// moment, and often, charm::mutex costs no more.
class shared_mutex {
 public:
  shared_mutex() = default;
  shared_mutex(const shared_mutex&) = delete;
  shared_mutex& operator=(const shared_mutex&) = delete;

  /// Waits until nobody holds it, and takes it for writing.
  void lock() { acquire(Kind::writer, detail::Completion::never); }
  /// Takes it for writing if nobody holds it, nor waits for it. \return whether it did.
  bool try_lock() noexcept { return try_acquire(Kind::writer); }
  /// \return whether it was taken for writing before the time was over.
  template <class Rep, class Period>
  bool try_lock_for(const std::chrono::duration<Rep, Period>& duration) {
    return try_lock() || acquire(Kind::writer, detail::deadline_after(duration));
  }
  /// Like try_lock_for, until a point in time.
  template <class Clock, class Duration>
  bool try_lock_until(const std::chrono::time_point<Clock, Duration>& time) {
    return try_lock() || acquire(Kind::writer, detail::deadline_at(time));
  }
  /// Must be called by the task, or thread, that holds it for writing.
  void unlock() noexcept;

  /// Waits until no writer holds it, nor waits for it, and takes it for reading.
  void lock_shared() { acquire(Kind::reader, detail::Completion::never); }
  /// Takes it for reading if no writer holds it, nor waits for it. \return whether it did.
  bool try_lock_shared() noexcept { return try_acquire(Kind::reader); }
  /// \return whether it was taken for reading before the time was over.
  template <class Rep, class Period>
  bool try_lock_shared_for(const std::chrono::duration<Rep, Period>& duration) {
    return try_lock_shared() || acquire(Kind::reader, detail::deadline_after(duration));
  }
  /// Like try_lock_shared_for, until a point in time.
  template <class Clock, class Duration>
  bool try_lock_shared_until(const std::chrono::time_point<Clock, Duration>& time) {
    return try_lock_shared() || acquire(Kind::reader, detail::deadline_at(time));
  }
  /// Once for every time that it was taken for reading.
  void unlock_shared() noexcept;

 private:
  // Invariants, whenever the lock is free:
  //  S1  state_ is the number of readers that hold it, or -1: a writer does.
  //  S2  The first in the list cannot have it: it is a writer and state_ is not 0, or a reader and state_ is -1. So
  //      whatever changes state_, or takes the first one out, admits those whom it can admit. Who is admitted holds it
  //      already when it is woken.
  enum class Kind : int { reader, writer };
  [[nodiscard]] bool free_for(Kind kind) const noexcept { return kind == Kind::writer ? state_ == 0 : state_ >= 0; }
  void take(Kind kind) noexcept { state_ = kind == Kind::writer ? -1 : state_ + 1; }
  bool try_acquire(Kind kind) noexcept;
  bool acquire(Kind kind, std::int64_t deadline);
  detail::Waiter* admit() noexcept;

  detail::SpinLock lock_;
  std::int64_t state_ = 0;
  detail::WaitList waiters_;  // `number`: what it wants
};

}  // namespace charm
