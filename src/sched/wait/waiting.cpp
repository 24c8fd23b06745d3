// Waiting without blocking a worker: a Completion, with a time limit, a stop token or a cancellation, and sleeps.
#include <charm/detail/cancel_scope.hpp>
#include <charm/detail/completion.hpp>
#include <charm/detail/scheduler.hpp>
#include <charm/detail/wait_list.hpp>
#include <charm/runtime.hpp>
#include <charm/sleep.hpp>

#include <exception>
#include <optional>
#include <stop_token>
#include <thread>

#include "sched/debug/delays.hpp"
#include "sched/run/runtime.hpp"
#include "sched/run/visit.hpp"
#include "sched/wait/thread_wait.hpp"

namespace charm::sched {

namespace {

/// Ends a wait early. \return the waiter to wake, if any.
std::uintptr_t end_early(std::atomic<std::uintptr_t>& state) noexcept {
  std::uintptr_t seen = state.load(std::memory_order_acquire);
  while (seen != detail::Completion::done_value && seen != detail::Completion::expired_value) {
    if (state.compare_exchange_weak(seen, detail::Completion::expired_value, std::memory_order_acq_rel,
                                    std::memory_order_acquire))
      return seen;
  }
  return 0;
}

}  // namespace

fiber::Fiber* expire(std::atomic<std::uintptr_t>& state) noexcept {
  return reinterpret_cast<fiber::Fiber*>(end_early(state));
}

}  // namespace charm::sched

namespace charm::detail {

using fiber::Fiber;
using sched::Worker;

namespace {

constexpr std::uintptr_t expired = Completion::expired_value;

/// After the switch away from `from`: leaves it as the waiter, or makes it ready at once if the end came meanwhile.
void leave_as_waiter(Fiber* from, void* state) noexcept {
  std::uintptr_t expected = 0;
  sched::delay_between_steps();
  if (!static_cast<std::atomic<std::uintptr_t>*>(state)->compare_exchange_strong(
          expected, reinterpret_cast<std::uintptr_t>(from), std::memory_order_acq_rel)) {
    sched::make_ready(from, true);
  }
}

void wake_waiter(std::uintptr_t waiter, bool next) noexcept {
  sched::delay_between_steps();
  if ((waiter & sched::thread_bit) != 0) return sched::wake_thread(waiter);
  sched::make_ready(reinterpret_cast<Fiber*>(waiter), next);
}

/// The callback of a wait's stop token. It lives beside the Completion on the waiter's stack, and the end of its
/// stop_callback waits for a call that is under way.
struct EndWait {
  std::atomic<std::uintptr_t>& state;
  void operator()() const noexcept {
    const sched::Visit runtime = sched::Visit::until_the_end();  // until the task is in a queue
    if (const std::uintptr_t waiter = sched::end_early(state); waiter != 0) wake_waiter(waiter, false);
  }
};
using StopWait = std::optional<std::stop_callback<EndWait>>;

void drop_stop(void* stop) noexcept { static_cast<StopWait*>(stop)->reset(); }

/// Called by the waiter, when nothing can end its wait any more. \return whether it was ended early.
bool ended_early(std::atomic<std::uintptr_t>& state) noexcept {
  std::uintptr_t seen = expired;
  return state.compare_exchange_strong(seen, 0, std::memory_order_acq_rel);
}

/// \param stop of a wait with a stop token: where the task is dropped the token must forget the wait.
void wait_in(Worker& worker, std::atomic<std::uintptr_t>& state, const WaitReason& reason, sched::DropStop stop = {}) {
  auto& waits = worker.current->waits;
  waits = {&state, reason.listed, stop.drop, stop.argument};
  sched::delay_between_steps();
  worker.suspend(leave_as_waiter, &state, reason);
  waits = {};
}

/// \param within what the task belongs to, where its cancellation ends the wait; else null.
/// \return false where the time was over first, or the wait was ended.
bool wait_in(Worker& worker, std::atomic<std::uintptr_t>& state, std::int64_t deadline, const WaitReason& reason,
             const CancelScope* within, sched::DropStop stop) {
  sched::Runtime& runtime = *worker.runtime;
  const bool limited = deadline != Completion::never;
  sched::Timer timer;
  timer.deadline_ns = deadline;
  timer.state = &state;
  if (limited) runtime.waits.timers.add(timer, worker);
  sched::CancellableWait cancellable;
  if (within != nullptr) {
    cancellable.scope = within;
    cancellable.state = &state;
    runtime.waits.cancellable.add(cancellable, worker);
    if (within->cancelled_before_wait()) sched::end_early(state);
  }
  const bool bound = limited && worker.current->bound >= 0;  // then it comes back to this worker
  if (bound) worker.bound_limits().begin_wait();
  wait_in(worker, state, reason, stop);
  if (bound) worker.bound_limits().end_wait();
  if (within != nullptr) runtime.waits.cancellable.remove(cancellable);
  if (limited) runtime.waits.timers.remove(timer);
  return state.load(std::memory_order_acquire) != expired;
}

/// A wait whose time is over before it begins: a task that repeats it has to let others run, but a bound one must come
/// back here, whatever these do (sched/run/bound_limits.cpp).
void let_others_run() {
  Worker* worker = sched::this_worker();
  const bool bound = worker != nullptr && worker->current->bound >= 0;
  if (bound) worker->bound_limits().begin_wait();
  charm::yield();
  if (bound) worker->bound_limits().end_wait();
}

}  // namespace

void Completion::wait_slow(const WaitReason& reason) {
  if (Worker* worker = sched::this_worker()) return wait_in(*worker, state_, reason);
  sched::wait_in_thread(state_, reason);
}

bool Completion::wait_until_slow(std::int64_t deadline_ns, const WaitReason& reason) {
  if (deadline_ns != never && deadline_ns <= steady_now()) {
    let_others_run();
    return done();
  }
  if (reason.stop != nullptr && reason.stop->stop_requested()) return done();
  Worker* worker = sched::this_worker();
  const bool may_be_cancelled =
      reason.cancellable && worker != nullptr && worker->scope != nullptr && std::uncaught_exceptions() == 0;
  const CancelScope* within = may_be_cancelled ? worker->scope : nullptr;
  if (deadline_ns == never && within == nullptr && reason.stop == nullptr) {
    wait_slow(reason);
    return true;
  }
  bool whole = true;
  {
    StopWait stop;
    sched::DropStop drop;
    if (reason.stop != nullptr) {
      stop.emplace(*reason.stop, EndWait{state_});
      drop = {drop_stop, &stop};
    }
    if (worker != nullptr) {
      whole = wait_in(*worker, state_, deadline_ns, reason, within, drop);
    } else {
      whole = sched::wait_in_thread(state_, deadline_ns, reason, drop);
    }
  }
  return !ended_early(state_) && whole;
}

bool sleep_until_ns(std::int64_t deadline, const std::stop_token* stop) {
  if (sched::this_worker() == nullptr && stop == nullptr) {
    std::this_thread::sleep_until(std::chrono::steady_clock::time_point(std::chrono::nanoseconds(deadline)));
    return true;
  }
  Completion nobody;
  nobody.wait_until(deadline, {Wait::sleep, nullptr, nullptr, true, stop});
  check_ended_wait();
  return stop == nullptr || !stop->stop_requested();
}

void Completion::wake(std::uintptr_t waiter, bool next) noexcept {
  if ((waiter & watcher_bit) == 0) return wake_waiter(waiter, next);
  auto* watcher = reinterpret_cast<Watcher*>(waiter & ~watcher_bit);
  watcher->notify(watcher);
}

}  // namespace charm::detail
