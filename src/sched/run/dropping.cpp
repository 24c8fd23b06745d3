// The order matters: a dropped task may wait for another dropped task, or own the object in which that one waits. So
// first all tasks are detached from their waits; then all waiters get the error, which frees nothing; and only then the
// jobs are released.
#include "sched/run/dropping.hpp"

#include <charm/detail/scheduler.hpp>
#include <charm/detail/wait_list.hpp>
#include <charm/error.hpp>

#include <exception>
#include <string>
#include <thread>

#include "sched/debug/task_list.hpp"
#include "sched/run/runtime.hpp"

namespace charm::sched {

using detail::AwaitedJob;
using fiber::Fiber;
using fiber::TaskCard;

bool stop_waiting(Fiber& fiber) noexcept {
  if (fiber.waits.state != nullptr) {
    auto expected = reinterpret_cast<std::uintptr_t>(&fiber);
    if (fiber.waits.state->compare_exchange_strong(expected, 0, std::memory_order_acq_rel)) return true;
  } else if (fiber.card.state.load(std::memory_order_acquire) == TaskCard::State::waiting) {
    return true;  // in a barrier, among dropped tasks
  }
  // It was woken, and the waker may not have put it into a queue yet (counted until queued, sched/run/gate.hpp).
  while (fiber.card.state.load(std::memory_order_acquire) == TaskCard::State::waiting) std::this_thread::yield();
  while (Runtime::gate.anybody_inside(std::memory_order_acquire)) std::this_thread::yield();
  return false;
}

void leave_lists(const detail::Listed* listed) noexcept {
  for (; listed != nullptr; listed = listed->further) {
    listed->lock.lock();
    const bool mine = listed->waiter.listed;
    if (mine) listed->list.remove(listed->waiter);
    listed->lock.unlock();
    // Another thread has taken it out and is about to complete its event, or that of its choice, on this
    // stack.
    const detail::Choice* choice = listed->waiter.choice;
    while (!mine && !(choice != nullptr ? choice->event : listed->waiter.event).done()) std::this_thread::yield();
  }
}

namespace {

/// The error that waiting threads get; there is one finalize() at a time.
std::string being_dropped;

/// Detaches the fiber, and takes it out of the lists that name its stack.
void detach(Fiber& fiber) noexcept {
  leave_lists(fiber.waits.listed);
  if (fiber.waits.drop != nullptr) fiber.waits.drop(fiber.waits.dropped);
  stop_waiting(fiber);
}

}  // namespace

std::size_t drop_tasks(const Runtime& runtime, const std::vector<Fiber*>& fibers) noexcept {
  std::size_t dropped = 0;
  for (Fiber* fiber : fibers) {
    if (fiber->card.function.load(std::memory_order_relaxed) == nullptr) continue;
    detach(*fiber);
    ++dropped;
  }
  struct Awaited {
    AwaitedJob* job;  // it may be gone once its waiter has got the error
    AwaitedJob::Dropped dropped;
    const Fiber* fiber;
  };
  std::vector<Awaited> awaited;
  for (Fiber* fiber : fibers) {
    for (AwaitedJob* job = fiber->awaited; job != nullptr; job = job->outer)
      awaited.push_back({job, job->dropped, fiber});
  }
  for (const Awaited& one : awaited) {
    being_dropped = ": " + describe(runtime, *one.fiber);
    one.dropped(one.job, detail::Drop::notify);
  }
  being_dropped.clear();
  for (const Awaited& one : awaited) one.dropped(one.job, detail::Drop::release);
  return dropped;
}

}  // namespace charm::sched

namespace charm::detail {

void begin_awaited(AwaitedJob& job) noexcept {
  AwaitedJob*& innermost = sched::this_worker()->current->awaited;
  job.outer = innermost;
  innermost = &job;
}

void end_awaited(AwaitedJob& job) noexcept { sched::this_worker()->current->awaited = job.outer; }

void end_awaited(AwaitedJob& job, const void* kind) noexcept {
  sched::Worker* worker = sched::this_worker();
  worker->current->awaited = job.outer;
  sched::Steering::count(*worker, kind, 1);
}

std::exception_ptr dropped_error() noexcept {
  return std::make_exception_ptr(Error(Errc::not_running,
                                       "the task was dropped when finalize() ended the runtime" + sched::being_dropped,
                                       "wake what waits, or close the channel that it waits for, before finalize()"));
}

}  // namespace charm::detail
