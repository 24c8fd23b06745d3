// The parts of mutex, condition variable, semaphore, latch, barrier and channel: a lock for a few instructions, and
// a list of waiters.
//
// Invariants
// - Unlocking is the last access: Every field of such an object is accessed under its lock only, and unlocking is one
//   store, the last access. So a task that was released by an operation may destroy the object as soon as it has held
//   the lock afterwards.
// - Whoever takes a waiter out wakes it: A waiter is in the list until a thread takes it out under the lock; that
//   thread either wakes it (complete() of its event, after unlocking) or is the waiter itself, whose time is over.
// - No waiter outlives its stack: A waiter lives on the waiting stack. It leaves its function only after that wake, or
//   after it has taken itself out; so nobody reaches a waiter that is gone. If finalize() drops the waiting task it
//   takes the waiter out, or waits for the event of one that another thread has taken out, before the stack goes
//   (sched/run/dropping.cpp).
// - Win the choice first: A task that waits in several lists at once (select) has a waiter in each, and one Choice. A
//   thread that takes such a waiter out may serve it only after it has won the choice, under the list's lock; if it has
//   lost the choice, it must not touch the waiter after it unlocks. The task that waits locks every list once more
//   before it leaves, so nobody reaches its waiters then.
#pragma once

#include <charm/detail/completion.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>

namespace charm::detail {

/// For critical sections of some instructions, none of which suspends. A thread that spins for long yields the cpu.
class SpinLock {
 public:
  void lock() noexcept {
    if (taken_.exchange(true, std::memory_order_acquire)) [[unlikely]]
      lock_slow();
  }
  bool try_lock() noexcept { return !taken_.exchange(true, std::memory_order_acquire); }
  void unlock() noexcept { taken_.store(false, std::memory_order_release); }

 private:
  void lock_slow() noexcept;
  std::atomic<bool> taken_{false};
};

/// Decides which of several lists serves a task that waits in all of them (win the choice first).
struct Choice {
  static constexpr int open = -1;
  static constexpr int again = -2;  // the list that had won could not serve the task
  /// \return whether the choice was open, and is `number` now.
  bool win(int number) noexcept {
    int expected = open;
    return chosen.compare_exchange_strong(expected, number, std::memory_order_acq_rel);
  }
  std::atomic<int> chosen{open};
  Completion event;
};

/// One waiter. `given` and `item` are for the object in which it waits.
struct Waiter {
  Waiter* next = nullptr;
  Waiter* previous = nullptr;
  bool listed = false;
  bool given = false;
  int beaten = 0;
  void* item = nullptr;
  // The choice of a select whose case `number` this is: its event is used instead of this one.
  Choice* choice = nullptr;
  int number = 0;
  Completion event;

  void wake() noexcept { (choice == nullptr ? event : choice->event).complete(); }
};

/// The list of waiters, first in, first out. Used under the owner's lock.
class WaitList {
 public:
  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
  [[nodiscard]] Waiter* first() const noexcept { return first_; }

  void push_back(Waiter& waiter) noexcept {
    waiter.listed = true;
    waiter.next = nullptr;
    waiter.previous = last_;
    (last_ != nullptr ? last_->next : first_) = &waiter;
    last_ = &waiter;
  }
  void push_front(Waiter& waiter) noexcept {
    waiter.listed = true;
    waiter.previous = nullptr;
    waiter.next = first_;
    (first_ != nullptr ? first_->previous : last_) = &waiter;
    first_ = &waiter;
  }
  void remove(Waiter& waiter) noexcept {
    (waiter.previous != nullptr ? waiter.previous->next : first_) = waiter.next;
    (waiter.next != nullptr ? waiter.next->previous : last_) = waiter.previous;
    waiter.listed = false;
  }
  /// Takes the first waiter; nullptr if there is none.
  Waiter* pop() noexcept {
    Waiter* waiter = first_;
    if (waiter != nullptr) remove(*waiter);
    return waiter;
  }
  /// The first waiter that can be served, which stays in the list (win the choice first); nullptr if there is none.
  [[nodiscard]] Waiter* first_to_serve() noexcept {
    while (first_ != nullptr && first_->choice != nullptr && !first_->choice->win(first_->number)) remove(*first_);
    return first_;
  }
  /// Takes all waiters that can be served, linked by `next`.
  Waiter* take_to_serve() noexcept {
    Waiter* all = nullptr;
    Waiter** end = &all;
    while (Waiter* waiter = first_to_serve()) {
      remove(*waiter);
      *end = waiter;
      end = &waiter->next;
    }
    *end = nullptr;
    return all;
  }
  /// Takes all waiters; they stay linked by `next`.
  Waiter* take() noexcept {
    Waiter* all = first_;
    for (Waiter* w = all; w != nullptr; w = w->next) w->listed = false;
    first_ = last_ = nullptr;
    return all;
  }

 private:
  Waiter* first_ = nullptr;
  Waiter* last_ = nullptr;
};

/// The list in which a waiter is, so that finalize() can take it out when it drops the waiter's task.
struct Listed {
  SpinLock& lock;
  WaitList& list;
  Waiter& waiter;
  const Listed* further = nullptr;  // the next list of the same waiter (win the choice first)
};

/// Waits for the event of `waiter`, which is in `list`. \return false if the time was over, or stop was requested,
/// before another thread took the waiter out. \throws Error (cancelled) if a wait that is cancellable was ended. In
/// both cases the waiter is not in the list any more.
bool wait_listed(SpinLock& lock, WaitList& list, Waiter& waiter, std::int64_t deadline, WaitReason&& reason);

/// Wakes a list that WaitList::take or a chain of pops made; outside of the lock (whoever takes a waiter out wakes it).
inline void wake_all(Waiter* waiters) noexcept {
  while (waiters != nullptr) {
    Waiter* next = waiters->next;  // read first: the woken one may be gone
    waiters->wake();
    waiters = next;
  }
}

// Deadlines are nanoseconds of the steady clock; a time that does not fit becomes `never`.

inline std::int64_t steady_now() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

template <class Rep, class Period>
std::int64_t deadline_after(const std::chrono::duration<Rep, Period>& duration) noexcept {
  using Seconds = std::chrono::duration<double>;
  if (duration <= duration.zero()) return steady_now();
  if (std::chrono::duration_cast<Seconds>(duration) > Seconds(4e9)) return Completion::never;
  return steady_now() + std::chrono::ceil<std::chrono::nanoseconds>(duration).count();
}

template <class Clock, class Duration>
std::int64_t deadline_at(const std::chrono::time_point<Clock, Duration>& time) noexcept {
  return deadline_after(time - Clock::now());
}

}  // namespace charm::detail
