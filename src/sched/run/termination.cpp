// Termination: how the workers of a runtime that stops find out that nothing is left to do.
//
// finalize() ends the main runtime and all arenas together (the family, sched/run/arenas.hpp), since the tasks of one
// may wake those of another; below, "all workers" are those of the family, and the workers of the main runtime alone
// look for that end. An arena that is ended alone counts its own workers, and is not at its end while one of its tasks
// waits: somebody beside it may wake the task. It is ended alone also when finalize() has begun meanwhile, since
// whoever waits for its end may be a task that would otherwise be dropped: the family is not at its end while such an
// arena without tasks is not.
//
// An idle worker that finds the runtime stopping counts itself idle and from then on only looks for work; before it
// takes a job it leaves the count and then says that it has stirred. (The other way round, a worker that looks in
// between reads the new number and counts this one as idle all the same.) So at a moment when all workers are counted,
// none runs a job or is about to take one: all work is in queues, or outside, in a sleep or in blocking code, whose
// tokens (Timers::pending, BlockingPool::out) are given back only by the task when it goes on in a worker. If a worker
// sees all counted, nothing outside, all queues empty (and, for an arena alone, no task), and then still nothing
// outside, all counted and nobody has stirred, then nothing is left to do, and it tells the others. (All counted comes
// first: a worker may go idle right after its task has gone outside.) A task whose blocking code waits without a limit
// for something of the runtime is not outside if all such code waits in vain (all in vain at once,
// sched/wait/blocking_pool.hpp): only the workers could end these waits, or threads outside, for which tasks that wait
// are not kept either. No work from threads outside can come later: no thread may visit a runtime that stops, and
// finalize() waits for threads that came before (sched/run/visit.hpp). A thread outside may still wake a task after the
// end; this task is dropped, as tasks are that wait (sched/run/dropping.hpp).
#include <algorithm>
#include <chrono>
#include <thread>

#include "sched/run/arenas.hpp"
#include "sched/run/runtime.hpp"

namespace charm::sched {

using namespace std::chrono_literals;

bool Runtime::queues_are_empty() noexcept {
  for (auto& worker : workers) {
    if (worker->inbox.arrived() || !worker->ready.empty() || worker->deque.public_count() > 0 ||
        worker->deque.has_private())
      return false;
  }
  for (auto& group : places.groups) {
    if (!group->inbox.empty()) return false;
  }
  for (auto& node : places.nodes) {
    if (!node->empty()) return false;
  }
  return places.inbox.empty();
}

/// Whether a task is suspended, where all workers are idle.
bool Runtime::has_tasks() noexcept {
  bool any = false;
  stacks.for_each(
      [&](const fiber::Fiber& fiber) { any = any || fiber.card.function.load(std::memory_order_relaxed) != nullptr; });
  return any;
}

/// Whether it is an arena whose end is waited for, and that has no tasks left.
bool Runtime::is_to_end_alone() noexcept {
  return arena_ != nullptr && arena_->closed.load(std::memory_order_acquire) && !ending.is_over() && !has_tasks();
}

namespace {

bool all_idle(const Runtime& runtime) { return runtime.ending.all_idle(runtime.workers.size()); }

/// For those that end together: the family, or one arena alone.
template <class F>
void for_those_that_end(Runtime& runtime, bool family, F&& function) {
  if (family)
    for_family(runtime, function);
  else
    function(runtime);
}

/// \param begun the number of waits in blocking code that have begun so far. For an arena that ends alone such a wait
/// may be ended by somebody beside it.
bool anybody_outside(Runtime& runtime, bool family, std::uint64_t& begun) {
  begun = 0;
  bool any = false;
  for_those_that_end(runtime, family, [&](const Runtime& each) {
    any = any || each.waits.timers.pending() ||
          (family ? each.waits.blocking->may_go_on(begun) : each.waits.blocking->out() != 0);
  });
  return any;
}

}  // namespace

bool Runtime::nothing_left(bool with_family) noexcept {
  std::uint64_t before = 0;
  for_those_that_end(*this, with_family, [&](const Runtime& each) { before += each.ending.stirred(); });
  if (gate.anybody_inside()) return false;  // somebody is about to post
  bool done = true;
  for_those_that_end(*this, with_family, [&](const Runtime& each) { done = done && all_idle(each); });
  if (!done) return false;
  std::uint64_t begun = 0;
  if (anybody_outside(*this, with_family, begun)) return false;
  std::uint64_t after = 0;
  for_those_that_end(*this, with_family, [&](Runtime& each) {
    done = done && each.queues_are_empty() && !(with_family ? each.is_to_end_alone() : each.has_tasks());
  });
  std::uint64_t begun_since = 0;
  if (anybody_outside(*this, with_family, begun_since) || begun_since != begun) return false;
  for_those_that_end(*this, with_family, [&](const Runtime& each) {
    done = done && all_idle(each);
    after += each.ending.stirred();
  });
  return done && after == before;
}

/// Ends the arena of a worker that is counted as idle. Not while it is counted: that would be a moment at which nothing
/// is left in the family, before whoever waits for this end is in a queue.
void Runtime::end_alone() noexcept {
  ending.leave_idle();
  ending.finish();
  if (arena_ != nullptr) arena_->over.complete();
  ending.enter_idle();
}

void Runtime::end_family() noexcept {
  for_family(*this, [](Runtime& each) {
    each.ending.finish();
    if (each.arena() != nullptr) each.arena()->over.complete();
  });
}

/// \return whether this is the end; if not, there is something to look for.
bool Worker::stay_until_the_end() noexcept {
  runtime->ending.enter_idle();
  const auto since = std::chrono::steady_clock::now();
  std::uint64_t begun = 0;
  while (!runtime->ending.is_over()) {
    runtime->waits.timers.fire_all(*this);
    if (has_work() || neighbours_show_work() || others_have_work()) {
      runtime->ending.leave_idle();
      return false;
    }
    const bool family = runtime->main.ending.has_begun();
    const bool alone =
        !family || (runtime->arena() != nullptr && runtime->arena()->closed.load(std::memory_order_acquire));
    if (alone && runtime->nothing_left(false)) {
      runtime->end_alone();
    } else if (runtime->is_main() && runtime->nothing_left(true)) {
      runtime->end_family();
    } else if (family && !runtime->is_main()) {
      // There may be a thousand such workers. Whoever has waited for long looks more rarely for work, and is late by a
      // half at most.
      const auto waited = std::chrono::steady_clock::now() - since;
      runtime->ending.rest(std::clamp<std::chrono::nanoseconds>(waited / 2, 100us, 10ms));
    } else if (anybody_outside(*runtime, family, begun)) {
      runtime->ending.rest(100us);  // this may take as long as a task sleeps
    } else if (!family && runtime->has_tasks()) {
      runtime->ending.rest(1ms);  // and this, as long as others let it wait
    } else {
      std::this_thread::yield();
    }
  }
  return true;
}

}  // namespace charm::sched
