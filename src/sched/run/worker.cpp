// The loop of a worker, the order in which it looks for work, and the switch from one fiber to another.
#include "sched/run/worker.hpp"

#include <charm/runtime.hpp>

#include <cerrno>
#include <cxxabi.h>
#include <thread>
#include <utility>

#include "sched/debug/delays.hpp"
#include "sched/debug/tracing.hpp"
#include "sched/run/exceptions.hpp"
#include "sched/run/runtime.hpp"

namespace charm::detail {
constinit thread_local WorkerBase* worker_of_thread = nullptr;
}

namespace charm::sched {

using detail::Job;
using fiber::Fiber;

namespace {

/// Called after a loop fiber was left for a ready one: it has no task and can serve as the next loop.
void recycle(Fiber* from, void* /*unused*/) noexcept { this_worker()->give_fiber(from); }

}  // namespace

/// Not inlined: the declaration says that the result never changes, which is true for a thread and not for a fiber.
[[gnu::noinline]] Handling& handling_of_thread() noexcept {
  asm volatile("");
  return *reinterpret_cast<Handling*>(abi::__cxa_get_globals());
}

/// Not inlined, for the same reason.
[[gnu::noinline]] int& error_number_of_thread() noexcept {
  asm volatile("");
  return errno;
}

void loop() noexcept {
  for (;;) {
    Worker* worker = this_worker();  // read anew: the last job may have moved this fiber to another thread
    if (--worker->until_boundary <= 0) {
      worker->until_boundary = worker->runtime->steering->boundary(*worker);
      worker->share_core();
      worker->watch_others();
    }
    Job* job = worker->find_job();
    if (job == nullptr) {
      Fiber* self = worker->current;
      const bool guest = worker->slot.who() == WorkerSlot::Who::guest;
      Fiber& thread = guest ? worker->runtime->send_guest_back(*worker) : worker->native();
      worker->enter(&thread);
      fiber::switch_to(*self, thread, recycle, nullptr);
    } else if (job->run == nullptr) {
      auto* ready = static_cast<Fiber*>(job);
      Fiber* self = worker->current;
      worker->enter(ready);
      fiber::switch_to(*self, *ready, recycle, nullptr);
    } else {
      Tally::add(worker->tally.jobs);
      worker->current->card.begin(job->run);
      tracing::begins(*worker, job);
      job->run(job);
      worker = this_worker();
      tracing::ends(*worker);
      worker->current->card.end();
      worker->current->bound = -1;
    }
  }
}

void Worker::taken_by_this_thread() noexcept {
  detail::worker_of_thread = this;
  handling_ = &handling_of_thread();
  error_number_ = &error_number_of_thread();
}

void Worker::main() noexcept {
  taken_by_this_thread();
  runtime->steering->start(*this);
  fiber::attach_thread(native_);
  native_.bound = id;
  current = &native_;
  if (runtime->main.shares_cores()) runtime->main.family.core_turns.take(contender, worker_core_.cpu);  // an arena's
  deque.poke();  // its first push looks for workers that slept before it began
  Fiber* first = take_fiber();
  enter(first);
  fiber::switch_to(native_, *first, nullptr, nullptr);
  runtime->steering->stop(*this);
  runtime->main.family.core_turns.leave(contender);
  detail::worker_of_thread = nullptr;  // the loop has found that the runtime stops
}

void Worker::share_core() noexcept {
  Runtime& main = runtime->main;
  if (!main.shares_cores()) return;
  if (contender.cpu >= 0 && contender.cpu != worker_core_.cpu) main.family.core_turns.leave(contender);  // it has moved
  if (!main.family.core_turns.should_yield(contender)) return;
  main.family.core_turns.leave(contender);
  if (!runtime->ending.has_begun(std::memory_order_relaxed)) main.family.core_turns.take(contender, worker_core_.cpu);
}

/// After a sleep, as a searcher: takes the core, or lets another worker come in its place while it waits for it
/// (waiting passes wake-ups on).
void Worker::take_turn() noexcept {
  Runtime& main = runtime->main;
  if (!main.shares_cores() || main.family.core_turns.try_take(contender, worker_core_.cpu)) return;
  if (runtime->ending.has_begun(std::memory_order_relaxed)) return;
  group_->searching.fetch_sub(1, std::memory_order_relaxed);
  delay_between_steps();
  runtime->wake_anybody();
  main.family.core_turns.take(contender, worker_core_.cpu);
  group_->searching.fetch_add(1, std::memory_order_relaxed);
}

void Worker::suspend(fiber::After after, void* argument, const detail::WaitReason& reason, Fiber* to) noexcept {
  using Doing = fiber::TaskCard::State;
  Fiber* self = current;
  const bool waits = reason.kind != detail::Wait::nothing;
  if (waits) {
    self->card.object.store(reason.object, std::memory_order_relaxed);
    // A thread that has borrowed the worker waits from the beginning (submitting.cpp).
    if (self->stack.base != nullptr) self->card.since.store(clock->now(), std::memory_order_relaxed);
    self->card.wait.store(reason.kind, std::memory_order_release);  // the object comes first
  }
  self->card.state.store(waits ? Doing::waiting : Doing::ready, std::memory_order_relaxed);
  const std::byte* limit = stack_limit;  // not those of self->stack if the task continued on another stack
  const std::byte* top = stack_top;
  const detail::CancelScope* within = std::exchange(scope, nullptr);
  if (to == nullptr) to = take_fiber();
  enter(to);
  Tally::add(tally.suspensions);
  const std::uint64_t task = tracing::suspends(*this, self);
  // Every fiber leaves the thread's exception state empty, so only a fiber inside of a handler has to restore one.
  const Handling handled = std::exchange(*handling_, Handling{nullptr, 0});
  const int error = *error_number_;
  fiber::switch_to(*self, *to, after, argument);
  Worker* here = sched::this_worker();
  if (handled.caught != nullptr || handled.uncaught != 0) [[unlikely]]
    (here != nullptr ? *here->handling_ : handling_of_thread()) = handled;
  (here != nullptr ? *here->error_number_ : error_number_of_thread()) = error;
  if (here == nullptr) {  // the task goes on in a thread of the pool; leave_blocking() does the rest
    self->away.task = task;
    self->away.left = id;
    self->away.scope = within;
    return;
  }
  if (reason.kind == detail::Wait::mutex)
    self->card.leave_mutex();
  else if (waits)
    self->card.wait.store(detail::Wait::nothing, std::memory_order_relaxed);
  here->scope = within;
  here->resumed(*self, limit, top, task, id);
}

void Worker::resumed(const Fiber& fiber, const std::byte* limit, const std::byte* top, std::uint64_t task,
                     int left) noexcept {
  stack_limit = limit;
  stack_top = top;
  Tally::add(tally.resumptions);
  tracing::resumed(*this, &fiber, task, left);
}

Fiber* Worker::take_fiber() noexcept {
  Fiber* fiber = free_fibers_;
  if (fiber == nullptr) return runtime->take_fiber(worker_core_.node);
  free_fibers_ = static_cast<Fiber*>(fiber->next);
  --free_count_;
  return fiber;
}

void Worker::give_fiber(Fiber* fiber) noexcept {
  constexpr int most = 16;
  if (free_count_ == most) return runtime->stacks.give(*fiber);
  fiber->next = free_fibers_;
  free_fibers_ = fiber;
  ++free_count_;
}

Job* Worker::find_job() noexcept {
  runtime->waits.timers.before_job(*this);
  if (handoff_ != nullptr) return std::exchange(handoff_, nullptr);
  if (has_searched_ && !bound_limits_.any()) [[likely]] {
    if (Job* job = own_job()) return job;
  }
  return search();
}

/// The worker's own jobs: calls to it, its forked jobs, newest first, and fibers that can go on. Each of the
/// three comes first in turn, so that tasks which yield in a circle cannot starve the others; every 61st time the
/// shared inboxes come first, and every 10 ms the jobs of other workers (look at the others, sched/run/parking.cpp). A
/// worker that rests leaves to others what is for any worker.
Job* Worker::own_job() noexcept {
  if (++tick_ % 61 == 0 || look_around_) {
    look_around_ = false;
    if (std::exchange(look_at_others_, false)) {
      if (Job* job = others_job()) return job;
    }
    if (Job* job = rests() ? near_job() : shared_job()) return job;
  }
  std::uint32_t kind = tick_ % 4 % 3;
  for (int i = 0; i < 3; ++i, kind = kind == 2 ? 0 : kind + 1) {
    switch (kind) {
      case 0:
        if (!deque.empty()) {
          if (Job* job = deque.pop_any().job) {
            if (!deque.empty()) deque.answer();  // else the next push will
            return tracing::popped(*this, job);
          }
        }
        break;
      case 1:
        if (Job* job = sent_job()) return job;
        break;
      default:
        if (Job* job = ready.pop()) return job;
    }
  }
  return nullptr;
}

/// A job that was sent to this worker.
Job* Worker::sent_job() noexcept {
  ListedJob* job = inbox.pop();
  if (job != nullptr && job->run != nullptr) current->bound = id;  // a call to this worker stays with it
  return job;
}

/// A job that was sent to this chiplet or node.
Job* Worker::near_job() noexcept {
  if (Job* job = group_->inbox.pop()) return job;
  return worker_core_.node >= 0 ? runtime->places.node(worker_core_.node).pop() : nullptr;
}

Job* Worker::shared_job() noexcept {
  if (Job* job = near_job()) return job;
  return runtime->places.inbox.pop();
}

namespace {

/// By a thread that is no worker of the fiber's runtime, which exists for as long as the fiber has not been seen to be
/// ready (sched/run/gate.hpp, counted until queued).
void make_ready_from_outside(Fiber* fiber) noexcept {
  Runtime& runtime = *static_cast<Runtime*>(fiber->runtime);
  Runtime::gate.enter_unasked();
  tracing::made_ready(nullptr, fiber);
  const int bound = fiber->bound;
  fiber->card.state.store(fiber::TaskCard::State::ready, std::memory_order_release);
  delay_between_steps();
  if (bound >= 0)
    runtime.post(*runtime.workers[static_cast<std::size_t>(bound)], fiber);
  else
    runtime.post_anywhere(fiber);
  Runtime::gate.leave();
}

}  // namespace

void make_ready(Fiber* fiber, bool next) noexcept {
  Worker* worker = this_worker();
  if (worker == nullptr || worker->runtime != fiber->runtime) return make_ready_from_outside(fiber);
  fiber->card.state.store(fiber::TaskCard::State::ready, std::memory_order_relaxed);
  tracing::made_ready(worker, fiber);
  if (fiber->bound >= 0 && worker->id != fiber->bound) {
    Runtime& runtime = *worker->runtime;
    runtime.post(*runtime.workers[static_cast<std::size_t>(fiber->bound)], fiber);
  } else if (next && worker->continue_next(*fiber)) {
    return;
  } else if (fiber->bound >= 0) {
    worker->inbox.push(fiber);
  } else {
    worker->push_ready(fiber);
    worker->advertise();
    worker->runtime->notify(worker);
  }
}

void Worker::push_ready(ListedJob* job) noexcept {
  if (ready.push_ring(job)) return;
  switch (runtime->settings.bind) {
    case Bind::chiplet:
      return group_->inbox.push(job);
    case Bind::node:
      if (worker_core_.node >= 0) return runtime->places.node(worker_core_.node).push(job);
      [[fallthrough]];
    default:
      return ready.push(job);
  }
}

bool Worker::looks_at_timers(std::uint64_t ticks) noexcept {
  if (ticks - last_timer_look_ < 10 * detail::ticks_per_us()) return false;
  last_timer_look_ = ticks;
  return true;
}

void Worker::yield() noexcept {
  // look_around_: somebody has asked for a look at the shared inboxes, too.
  const bool others = !deque.empty() || !inbox.empty() || look_around_;
  if (!others && ready.empty() && tick_++ % 64 != 0) return;
  // Usually directly to the next fiber in the queue. Through the loop, which checks all queues, if other kinds of
  // work wait here, and now and then; every 16th yield checks whether the shared inboxes or the timers need that.
  const std::uint32_t turn = ++yields_;
  bool straight = !others && turn % 64 != 0 && current->bound < 0;
  if (turn % 16 == 0) {
    look_around_ |= !runtime->places.inbox.empty() || !group_->inbox.empty();
    runtime->waits.timers.before_job(*this);
    straight = straight && !look_around_;
  }
  Fiber* next = nullptr;
  if (straight) {
    if (ListedJob* job = ready.pop()) {
      if (job->run == nullptr)
        next = static_cast<Fiber*>(job);
      else
        ready.push(job);
    }
  }
  suspend(
      [](Fiber* from, void*) noexcept {
        Worker* here = this_worker();
        if (from->bound >= 0) {
          here->inbox.push(from);
        } else {
          here->push_ready(from);
          here->advertise();
        }
      },
      nullptr, {detail::Wait::nothing}, next);
}

}  // namespace charm::sched

namespace charm {

void yield() {
  if (sched::Worker* worker = sched::this_worker())
    worker->yield();
  else
    std::this_thread::yield();
}

}  // namespace charm
