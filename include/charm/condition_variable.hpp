// A condition variable that suspends only the waiting task, not its worker.
#pragma once

#include <charm/detail/wait_list.hpp>
#include <charm/mutex.hpp>

#include <chrono>
#include <condition_variable>
#include <stop_token>
#include <utility>

namespace charm {

/// As std::condition_variable_any: `Lock` is std::unique_lock<charm::mutex> or anything else with lock() and unlock().
/// For tasks, and for threads that are not workers. Waiters are woken in the order in which they came. There are no
/// spurious wake-ups, but the condition may have changed again before the lock was taken, so wait with a predicate.
class condition_variable {
 public:
  condition_variable() = default;
  condition_variable(const condition_variable&) = delete;
  condition_variable& operator=(const condition_variable&) = delete;

  /// Wakes the task or thread that has waited longest, if any.
  void notify_one() noexcept {
    lock_.lock();
    detail::Waiter* waiter = waiters_.pop();
    lock_.unlock();
    if (waiter != nullptr) waiter->event.complete();
  }
  /// Wakes all tasks and threads that wait.
  void notify_all() noexcept {
    lock_.lock();
    detail::Waiter* all = waiters_.take();
    lock_.unlock();
    detail::wake_all(all);
  }

  /// Unlocks, waits for a notification, and locks again. This and all other forms \throws Error (cancelled), with the
  /// lock held, if the task group or loop that the task belongs to is cancelled meanwhile.
  template <class Lock>
  void wait(Lock& lock) {
    wait_deadline(lock, detail::Completion::never);
  }
  /// Waits until `predicate()` is true; it is called with the lock held.
  template <class Lock, class Predicate>
  void wait(Lock& lock, Predicate predicate) {
    while (!predicate()) wait(lock);
  }
  /// The same, but the wait ends when stop is requested. \return the predicate's value at the end.
  template <class Lock, class Predicate>
  bool wait(Lock& lock, const std::stop_token& stop, Predicate predicate) {
    return wait_predicate(lock, detail::Completion::never, predicate, &stop);
  }

  /// As wait(), but waits no longer than `duration`. \return std::cv_status::timeout if there was no notification in
  /// time; the lock is held again in any case.
  template <class Lock, class Rep, class Period>
  std::cv_status wait_for(Lock& lock, const std::chrono::duration<Rep, Period>& duration) {
    return status(wait_deadline(lock, detail::deadline_after(duration)));
  }
  /// Like wait_for, until a point in time.
  template <class Lock, class Clock, class Duration>
  std::cv_status wait_until(Lock& lock, const std::chrono::time_point<Clock, Duration>& time) {
    return status(wait_deadline(lock, detail::deadline_at(time)));
  }
  /// As wait(lock, predicate), but waits no longer than `duration`. \return the predicate's value at the end.
  template <class Lock, class Rep, class Period, class Predicate>
  bool wait_for(Lock& lock, const std::chrono::duration<Rep, Period>& duration, Predicate predicate) {
    return wait_predicate(lock, detail::deadline_after(duration), predicate);
  }
  /// Like wait_for with a predicate, until a point in time.
  template <class Lock, class Clock, class Duration, class Predicate>
  bool wait_until(Lock& lock, const std::chrono::time_point<Clock, Duration>& time, Predicate predicate) {
    return wait_predicate(lock, detail::deadline_at(time), predicate);
  }

 private:
  static std::cv_status status(bool notified) noexcept {
    return notified ? std::cv_status::no_timeout : std::cv_status::timeout;
  }

  template <class Lock, class Predicate>
  bool wait_predicate(Lock& lock, std::int64_t deadline, Predicate& predicate, const std::stop_token* stop = nullptr) {
    while (!predicate()) {
      if (!wait_deadline(lock, deadline, stop)) return predicate();
    }
    return true;
  }

  template <class Lock>
  bool wait_deadline(Lock& lock, std::int64_t deadline, const std::stop_token* stop = nullptr) {
    struct Again {  // locked, however the wait ends
      Lock& lock;
      ~Again() { lock.lock(); }
    };
    detail::Waiter waiter;
    lock_.lock();
    waiters_.push_back(waiter);  // before the caller's lock is given up: a notification from then on is not missed
    lock_.unlock();
    lock.unlock();
    const Again again{lock};
    return wait_for_event(waiter, deadline, stop);
  }
  bool wait_for_event(detail::Waiter& waiter, std::int64_t deadline, const std::stop_token* stop);

  detail::SpinLock lock_;
  detail::WaitList waiters_;
};

}  // namespace charm
