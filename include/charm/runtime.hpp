// Starts and stops the runtime, runs work on it, and tells where the caller runs (CHARM §4.6).
//
// There is one runtime in a process. The thread that calls init() takes part as worker 0 while it waits in run(),
// parallel_for() and the like. Other threads may call everything, too, and sleep while the workers do the work.
#pragma once

#include <charm/config.hpp>
#include <charm/detail/completion.hpp>
#include <charm/detail/result.hpp>
#include <charm/detail/scheduler.hpp>
#include <charm/detail/worker.hpp>
#include <charm/error.hpp>
#include <charm/machine.hpp>
#include <charm/placement.hpp>

#include <type_traits>
#include <utility>
#include <vector>

/// The library. What lies in charm::detail is not meant for programs, and changes without notice.
namespace charm {

/// Discovers the machine, places and starts the workers. Where it fails nothing of the runtime is left.
/// \throws Error: bad_config, bad_input, too_many_workers, refused; not_running if the runtime runs already, or another
/// thread is just starting or ending it; system where there are no more threads to be had.
void init(const Config& config = {});

/// Finishes all work that can still run, stops the workers and restores the caller's affinity. May be followed by
/// init(). Calls that other threads make meanwhile are finished, or come too late and throw not_running. Tasks that
/// wait for what nobody can give them any more are dropped, as a notice says: they are taken out of the mutexes and
/// channels that they wait in, nothing on their stacks is destroyed, and whoever waits for their results outside
/// (get(), run(), task_group::wait()) gets not_running.
/// \throws Error (not_running) inside a task or blocking code, without init(), or where another thread has called it.
void finalize();

/// Whether init() has been called, and finalize() not since.
[[nodiscard]] bool initialized() noexcept;

/// Number of workers; 0 while the runtime does not run.
[[nodiscard]] int num_workers() noexcept;

/// The worker that runs the calling task, 0 .. num_workers()-1; -1 outside of tasks. May change where a task suspends
/// (docs/suspension.md).
[[nodiscard]] inline int worker_id() noexcept {
  const detail::WorkerBase* worker = detail::this_worker();
  return worker == nullptr ? -1 : worker->id;
}

/// The machine that the runtime was placed on. \throws Error (not_running).
[[nodiscard]] const Machine& machine();
/// The core of every worker in the present placement. \throws Error (not_running).
[[nodiscard]] std::vector<WorkerCore> worker_cores();

/// Runs `function` as a task and returns what it returns or throws. Inside a task it is a plain call.
/// \throws Error (not_running) also where finalize() has dropped the task.
template <class F>
auto run(F&& function) -> std::invoke_result_t<F> {
  if (detail::this_worker() != nullptr) return std::forward<F>(function)();
  using Value = std::invoke_result_t<F>;
  struct RootJob : detail::AwaitedJob {
    explicit RootJob(F& f) noexcept : AwaitedJob(&RootJob::start, &RootJob::drop), function(f) {}
    static void start(detail::Job* job) noexcept {
      auto* self = static_cast<RootJob*>(job);
      detail::begin_awaited(*self);
      self->result.set_from(std::forward<F>(self->function));
      detail::end_awaited(*self);
      self->done.complete(true);
    }
    static void drop(detail::AwaitedJob* job, detail::Drop step) noexcept {
      if (step == detail::Drop::release) return;  // it is on its waiter's stack
      auto* self = static_cast<RootJob*>(job);
      self->result.set_error(detail::dropped_error());
      self->done.complete();
    }
    F& function;
    detail::Result<Value> result;
    detail::Completion done;
  } root(function);
  detail::run_root(root, root.done);
  return root.result.take();
}

/// Lets other tasks of this worker run; returns when the task's turn comes again, perhaps on another worker. Outside of
/// tasks it gives the cpu to another thread.
void yield();

}  // namespace charm
