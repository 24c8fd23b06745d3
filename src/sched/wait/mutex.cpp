// The slow halves of mutex, condition variable, semaphore and latch. The invariants are in
// charm/detail/wait_list.hpp.
#include <charm/condition_variable.hpp>
#include <charm/detail/cancel_scope.hpp>
#include <charm/latch.hpp>
#include <charm/mutex.hpp>
#include <charm/semaphore.hpp>

#include <thread>

#include "os/threads/pause.hpp"
#include "sched/run/oversubscription.hpp"

namespace charm {

using detail::Wait;
using detail::Waiter;
using detail::WaitList;
using detail::WaitReason;

namespace detail {

void SpinLock::lock_slow() noexcept {
  const int patience = sched::oversubscribed() ? 10 : 200;  // the holder may have lost its core
  for (int tries = 0;; ++tries) {
    while (taken_.load(std::memory_order_relaxed)) {
      os::pause();
      if (++tries > patience) std::this_thread::yield();
    }
    if (!taken_.exchange(true, std::memory_order_acquire)) return;
  }
}

bool wait_listed(SpinLock& lock, WaitList& list, Waiter& waiter, std::int64_t deadline, WaitReason&& reason) {
  const Listed listed{lock, list, waiter};
  reason.listed = &listed;
  const WorkerBase* worker = this_worker();
  const bool may_be_cancelled = reason.cancellable && worker != nullptr && worker->scope != nullptr;
  if (deadline == Completion::never && reason.stop == nullptr && !may_be_cancelled) {  // most waits
    waiter.event.wait(reason);
    return true;
  }
  if (waiter.event.wait_until(deadline, reason)) return true;
  lock.lock();
  bool mine = waiter.listed;
  if (mine) list.remove(waiter);
  lock.unlock();
  if (!mine) waiter.event.wait(reason);  // a thread has taken the waiter out and is about to wake it
  if (mine && reason.cancellable) check_ended_wait();
  return !mine;
}

namespace {

/// The reason for a wait that cancellation may end. Not for mutexes: a holder releases one when its own waits end.
WaitReason may_end(Wait kind, const void* object, const std::stop_token* stop) noexcept {
  return {kind, object, nullptr, true, stop};
}

}  // namespace
}  // namespace detail

// The lock is held on entry. A waiter that was woken and finds the mutex taken goes back to the front; it has been
// beaten once more. Those at the front were beaten a bounded number of times, newcomers queue at the back: so every
// waiter gets to the front, and from there to the mutex.
bool mutex::lock_slow(std::int64_t deadline) {
  int beaten = 0;
  while (taken_) {
    Waiter waiter;
    waiter.beaten = beaten++;
    waiter.beaten == 0 ? waiters_.push_back(waiter) : waiters_.push_front(waiter);
    lock_.unlock();
    bool woken = detail::wait_listed(lock_, waiters_, waiter, deadline, {Wait::mutex, this});
    if (waiter.given) {
      holder_.store(detail::task_id(), std::memory_order_relaxed);
      return true;
    }
    if (!woken) return try_lock();
    lock_.lock();
  }
  take();
  lock_.unlock();
  return true;
}

bool mutex::lock_until(std::int64_t deadline) {
  lock_.lock();
  return lock_slow(deadline);
}

void mutex::unlock_slow() noexcept {
  Waiter* waiter = waiters_.pop();
  waiter->given = waiter->beaten >= patience;
  if (!waiter->given) taken_ = false;
  lock_.unlock();
  waiter->event.complete();
}

bool condition_variable::wait_for_event(Waiter& waiter, std::int64_t deadline, const std::stop_token* stop) {
  return detail::wait_listed(lock_, waiters_, waiter, deadline, detail::may_end(Wait::condition, this, stop));
}

namespace detail {

void Semaphore::release(std::ptrdiff_t more) noexcept {
  Waiter* woken = nullptr;
  Waiter** end = &woken;
  lock_.lock();
  for (; more > 0 && !waiters_.empty(); --more) {
    *end = waiters_.pop();
    end = &(*end)->next;
  }
  *end = nullptr;
  count_ += more;
  lock_.unlock();
  wake_all(woken);
}

bool Semaphore::try_acquire() noexcept {
  lock_.lock();
  bool got = count_ > 0;
  if (got) --count_;
  lock_.unlock();
  return got;
}

bool Semaphore::acquire_until(std::int64_t deadline, const std::stop_token* stop) {
  lock_.lock();
  if (count_ > 0) {
    --count_;
    lock_.unlock();
    return true;
  }
  Waiter waiter;
  waiters_.push_back(waiter);
  lock_.unlock();
  return wait_listed(lock_, waiters_, waiter, deadline, may_end(Wait::semaphore, this, stop));
}

}  // namespace detail

void latch::count_down(std::ptrdiff_t by) noexcept {
  lock_.lock();
  count_ -= by;
  Waiter* all = count_ <= 0 ? waiters_.take() : nullptr;
  lock_.unlock();
  detail::wake_all(all);
}

bool latch::try_wait() noexcept {
  lock_.lock();
  bool open = count_ <= 0;
  lock_.unlock();
  return open;
}

bool latch::wait_deadline(std::int64_t deadline, const std::stop_token* stop) {
  lock_.lock();
  if (count_ <= 0) {
    lock_.unlock();
    return true;
  }
  Waiter waiter;
  waiters_.push_back(waiter);
  lock_.unlock();
  return detail::wait_listed(lock_, waiters_, waiter, deadline, detail::may_end(Wait::latch, this, stop));
}

}  // namespace charm
