// Starts and stops the runtime, runs work on it, and tells which worker runs the caller (CHARM §4.6).
//
// There is one runtime in a process. The thread that calls init() works as worker 0 while it waits in run(),
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

/// The library. The names in charm::detail are not meant for programs, and change without notice.
namespace charm {

/// Discovers the machine, places and starts the workers. If it fails, nothing of the runtime is left.
///
/// If the runtime runs already the call joins it, so that several libraries of a program may use it. Settings that
/// `config` gives must then be equal to the runtime's. Each init() needs a finalize(), and the last one ends the
/// runtime. While another thread is starting or ending it the call waits for that thread.
/// \throws Error: bad_config, bad_input, too_many_workers, refused; bad_config, with the setting and both its values,
/// if the runtime runs with other settings; not_running inside a task while the runtime is being ended; system if the
/// kernel gives no more threads.
CHARM_SAME_BUILD void init(const Config& config = {});

/// When finalize() has been called as often as init(), the last call finishes all work that can still run and stops the
/// workers; the calls before return at once. init() may be called again afterwards. A call that another thread makes
/// meanwhile either finishes, or comes too late and throws not_running. Tasks that wait for something that can no
/// longer happen, also in code of blocking(), are dropped with a notice: they are removed from the mutexes and channels
/// that they wait in, nothing on their stacks is destroyed, and threads that wait for their results (get(), run(),
/// task_group::wait()) get not_running.
/// \throws Error (not_running) without init(), if another thread has called the last one, and for the last one inside a
/// task or blocking code.
void finalize();

/// Whether the runtime runs: init() has been called, and the last finalize() not since.
[[nodiscard]] bool initialized() noexcept;

/// Number of workers; 0 while the runtime does not run.
[[nodiscard]] int num_workers() noexcept;

/// The worker that runs the calling task, 0 .. num_workers()-1; -1 outside of tasks. It may be another one after the
/// task was suspended (docs/suspension.md).
[[nodiscard]] inline int worker_id() noexcept {
  const detail::WorkerBase* worker = detail::this_worker();
  return worker == nullptr ? -1 : worker->id;
}

/// The machine that the runtime was placed on. \throws Error (not_running).
[[nodiscard]] const Machine& machine();
/// The core of every worker in the present placement. \throws Error (not_running).
[[nodiscard]] std::vector<WorkerCore> worker_cores();

namespace detail {

/// A task that its waiter keeps on its own stack.
template <class F>
struct RootJob : AwaitedJob {
  using Value = std::invoke_result_t<F>;
  explicit RootJob(std::remove_reference_t<F>& f) noexcept : AwaitedJob(&RootJob::start, &RootJob::drop), function(f) {}
  static void start(Job* job) noexcept {
    auto* self = static_cast<RootJob*>(job);
    begin_awaited(*self);
    self->result.set_from(std::forward<F>(self->function));
    end_awaited(*self);
    self->done.complete(true);
  }
  static void drop(AwaitedJob* job, Drop step) noexcept {
    if (step == Drop::release) return;  // it is on its waiter's stack
    auto* self = static_cast<RootJob*>(job);
    self->result.set_error(dropped_error());
    self->done.complete();
  }
  std::remove_reference_t<F>& function;
  Result<Value> result;
  Completion done;
};

}  // namespace detail

/// Runs `function` as a task, waits for it, and returns its value or rethrows its exception. The thread that called
/// init() works as worker 0 meanwhile; other threads sleep. Inside a task it is a plain call. \throws Error
/// (not_running) without a runtime, or if finalize() has dropped the task.
template <class F>
auto run(F&& function) -> std::invoke_result_t<F> {
  if (detail::this_worker() != nullptr) return std::forward<F>(function)();
  detail::RootJob<F> root(function);
  detail::run_root(root, root.done);
  return root.result.take();
}

/// Lets other tasks of this worker run; returns when the task's turn comes again, perhaps on another worker. Outside of
/// tasks it gives the cpu to another thread.
void yield();

}  // namespace charm
