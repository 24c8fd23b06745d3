// The scheduler's calls that record events. Each is a branch on a pointer that is null unless the run is
// recorded. A forked job that its own worker takes back counts as a function call, and is not recorded.
//
// All of them may be called only by the owner of the worker's track, that is, by the thread that has the worker.
#pragma once

#include "sched/run/work_times.hpp"
#include "sched/run/worker.hpp"
#include "trace/track.hpp"

namespace charm::sched::tracing {

inline void spawned(Worker* maker, const detail::Job* job) noexcept {
  if (maker != nullptr && maker->track != nullptr) [[unlikely]]
    maker->track->spawned(job);
}
inline void begins(Worker& worker, const detail::Job* job) noexcept {
  if (worker.track != nullptr) [[unlikely]]
    worker.track->begin(job, reinterpret_cast<std::uintptr_t>(job->run));
}
inline void ends(Worker& worker) noexcept {
  if (worker.track != nullptr) [[unlikely]]
    worker.track->end();
}
/// \return the value to pass to resumed().
inline std::uint64_t suspends(Worker& worker, const fiber::Fiber* fiber) noexcept {
  return worker.track != nullptr ? worker.track->suspend(fiber) : 0;
}
inline void resumed(Worker& here, const fiber::Fiber* fiber, std::uint64_t task, int left) noexcept {
  if (here.id != left) Tally::add(here.tally.migrations);
  if (here.track != nullptr) [[unlikely]]
    here.track->resume(task, fiber, left);
}
inline void made_ready(Worker* maker, const fiber::Fiber* fiber) noexcept {
  if (maker != nullptr && maker->track != nullptr) [[unlikely]]
    maker->track->ready(fiber);
}
/// \param job was in the worker's own deque. \return it.
inline detail::Job* popped(Worker& worker, detail::Job* job) noexcept {
  if (worker.track != nullptr) [[unlikely]]
    worker.track->popped();
  return job;
}
inline void stole(Worker& thief, const Worker& victim, trace::Distance distance) noexcept {
  if (thief.track != nullptr) [[unlikely]]
    thief.track->stole(*victim.track, distance);
}
/// \param sleeper has been woken by the caller; not by itself, whose track may already be another's.
inline void woke(Worker& sleeper) noexcept {
  Worker* waker = this_worker();
  if (waker == &sleeper) return;
  Tally::add(sleeper.tally.wakes);
  if (waker != nullptr && waker->track != nullptr) [[unlikely]]
    waker->track->woke(sleeper.id);
}
inline void moved(Worker& worker, const WorkerCore& to) noexcept {
  if (worker.track != nullptr) [[unlikely]]
    worker.track->moved(to.cpu, to.chiplet, to.node);
}
inline void stacks(Worker* worker, std::uint64_t count) noexcept {
  if (worker != nullptr && worker->track != nullptr) [[unlikely]]
    worker->track->sample(trace::Gauge::stacks, count);
}
/// The worker begins to search, to run jobs, or to sleep. \return the time on its clock.
inline std::uint64_t state(Worker& worker, trace::State next) noexcept {
  const std::uint64_t now = worker.times.enter(next, *worker.clock);
  if (worker.track != nullptr) [[unlikely]]
    worker.track->state(next, now);
  return now;
}

}  // namespace charm::sched::tracing
