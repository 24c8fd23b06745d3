// Running: the loop of a worker, the order in which it looks for work, and leaving one fiber for another.
#include "sched/worker.hpp"

#include <cxxabi.h>
#include <utility>

#include "sched/runtime.hpp"
#include "sched/tracing.hpp"

namespace charm::detail {
constinit thread_local WorkerCore* worker_of_thread = nullptr;
}

namespace charm::sched {

using detail::Job;
using fiber::Fiber;

namespace {

/// After a loop fiber was left for one that was ready: it holds no task and can serve as the next loop.
void recycle(Fiber* from, void* /*unused*/) noexcept { this_worker()->give_fiber(from); }

/// What the C++ runtime keeps per thread about exceptions that are being handled (Itanium C++ ABI, 2.2.2). It belongs
/// to the task: one that waits inside a catch block takes it along.
struct Handling {
  void* caught;
  unsigned int uncaught;
};

/// Not inlined: the declaration says that the result never changes, which is true for a thread and not for a fiber.
[[gnu::noinline]] Handling& handling() noexcept {
  asm volatile("");
  return *reinterpret_cast<Handling*>(abi::__cxa_get_globals());
}

}  // namespace

void loop() noexcept {
  for (;;) {
    Worker* worker = this_worker();  // read anew: the last job may have moved this fiber to another thread
    if (--worker->until_boundary <= 0) worker->until_boundary = worker->runtime->steering->boundary(*worker);
    Job* job = worker->find_job();
    if (job == nullptr) {
      Fiber* self = worker->current;
      worker->enter(&worker->native);
      fiber::switch_to(*self, worker->native, recycle, nullptr);
    } else if (job->run == nullptr) {
      auto* ready = static_cast<Fiber*>(job);
      Fiber* self = worker->current;
      worker->enter(ready);
      fiber::switch_to(*self, *ready, recycle, nullptr);
    } else {
      Tally::add(worker->tally.jobs);
      tracing::begins(*worker, job);
      job->run(job);
      worker = this_worker();
      tracing::ends(*worker);
      worker->current->bound = -1;
    }
  }
}

void Worker::main() noexcept {
  detail::worker_of_thread = this;
  runtime->steering->start(*this);
  fiber::adopt_thread(native);
  native.bound = id;
  current = &native;
  Fiber* first = take_fiber();
  enter(first);
  fiber::switch_to(native, *first, nullptr, nullptr);
  runtime->steering->stop(*this);
  detail::worker_of_thread = nullptr;  // the loop has found that the runtime stops
}

void Worker::enter(Fiber* to) noexcept {
  current = to;
  stack_top = to->stack.base + to->stack.bytes;
  stack_limit = to->stack.base + to->stack.bytes / 4;  // the last quarter is for calls that do not fork
}

void Worker::suspend(fiber::After after, void* argument) noexcept {
  Fiber* self = current;
  const std::byte* limit = stack_limit;  // not those of self->stack if the task went on on another stack
  const std::byte* top = stack_top;
  Fiber* to = take_fiber();
  enter(to);
  Tally::add(tally.suspensions);
  const std::uint64_t task = tracing::suspends(*this, self);
  // Every fiber leaves the thread's books clean behind it, so that only one in a handler has something to restore.
  const Handling handled = std::exchange(handling(), Handling{nullptr, 0});
  fiber::switch_to(*self, *to, after, argument);
  if (handled.caught != nullptr || handled.uncaught != 0) handling() = handled;
  Worker* here = sched::this_worker();
  here->stack_limit = limit;
  here->stack_top = top;
  Tally::add(here->tally.resumptions);
  tracing::resumed(*here, self, task, id);
}

Fiber* Worker::take_fiber() noexcept {
  Fiber* fiber = free_fibers;
  if (fiber == nullptr) return runtime->take_fiber(seat.node);
  free_fibers = static_cast<Fiber*>(fiber->next);
  --free_count;
  return fiber;
}

void Worker::give_fiber(Fiber* fiber) noexcept {
  constexpr int most = 16;
  if (free_count == most) return runtime->give_fiber(fiber, seat.node);
  fiber->next = free_fibers;
  free_fibers = fiber;
  ++free_count;
}

Job* Worker::find_job() noexcept {
  if (handoff != nullptr) return std::exchange(handoff, nullptr);
  if (Job* job = own_job()) return job;
  return search();
}

/// What this worker has itself: calls to it, its forked jobs, newest first, and fibers that can go on. Each of the
/// three comes first in turn, so that tasks which yield in a circle cannot starve the others; every 61st time the
/// shared inboxes come before all.
Job* Worker::own_job() noexcept {
  if (++tick % 61 == 0) {
    if (Job* job = shared_job()) return job;
  }
  for (std::uint32_t i = 0, kind = tick % 4; i < 3; ++i, ++kind) {
    switch (kind % 3) {
      case 0:
        if (!deque.empty()) {
          deque.answer();
          bool flat = false;
          if (Job* job = deque.pop_any(flat)) return tracing::popped(*this, job);
        }
        break;
      case 1:
        if (ListedJob* job = inbox.pop()) {
          if (job->run != nullptr) current->bound = id;  // a call to this worker stays with it
          return job;
        }
        break;
      default:
        if (Job* job = ready.pop()) return job;
    }
  }
  return nullptr;
}

Job* Worker::shared_job() noexcept {
  if (Job* job = group->inbox.pop()) return job;
  if (seat.node >= 0) {
    if (Job* job = runtime->nodes[static_cast<std::size_t>(seat.node)]->inbox.pop()) return job;
  }
  return runtime->inbox.pop();
}

void make_ready(Fiber* fiber, bool next) noexcept {
  Worker* worker = this_worker();
  tracing::made_ready(worker, fiber);
  if (fiber->bound >= 0 && (worker == nullptr || worker->id != fiber->bound)) {
    Runtime& runtime = *Runtime::instance();
    runtime.post(*runtime.workers[static_cast<std::size_t>(fiber->bound)], fiber);
  } else if (worker == nullptr) {
    Runtime& runtime = *Runtime::instance();
    runtime.post_anywhere(fiber);
  } else if (next && worker->handoff == nullptr) {
    worker->handoff = fiber;
  } else if (fiber->bound >= 0) {
    worker->inbox.push(fiber);
  } else {
    worker->ready.push(fiber);
    worker->advertise();
    worker->runtime->notify(worker);
  }
}

}  // namespace charm::sched
