// Starting and stopping the runtime, running work on it, and asking where one is (CHARM §4.6).
//
// One runtime a process. The thread that calls init() takes part as worker 0 while it waits in run(), parallel_for()
// and the like; other threads may call everything, too, and sleep while the workers do the work.
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

namespace charm {

/// Discovers the machine, places and starts the workers.
/// \throws Error: bad_config, bad_input, too_many_workers, refused; not_running if the runtime runs already.
void init(const Config& config = {});

/// Finishes all work that can still run, stops the workers and restores the caller's affinity. May be followed by
/// init().
/// \throws Error (not_running) inside a task or without init().
void finalize();

[[nodiscard]] bool initialized() noexcept;

/// Number of workers; 0 while the runtime does not run.
[[nodiscard]] int num_workers() noexcept;

/// The worker that runs the calling task, 0 .. num_workers()-1; -1 outside of tasks. May change where a task suspends.
[[nodiscard]] inline int worker_id() noexcept {
  const detail::WorkerCore* worker = detail::this_worker();
  return worker == nullptr ? -1 : worker->id;
}

/// The machine that the runtime was placed on, and the seat of every worker as it is to be now. \throws Error
/// (not_running).
[[nodiscard]] const Machine& machine();
[[nodiscard]] std::vector<Seat> seats();

/// Runs `function` as a task and returns what it returns or throws. Inside a task it is a plain call.
template <class F>
auto run(F&& function) -> std::invoke_result_t<F> {
  if (detail::this_worker() != nullptr) return std::forward<F>(function)();
  using Value = std::invoke_result_t<F>;
  struct RootJob : detail::ListedJob {
    explicit RootJob(F& f) noexcept : ListedJob(&RootJob::start), function(f) {}
    static void start(detail::Job* job) noexcept {
      auto* self = static_cast<RootJob*>(job);
      self->result.set_from(std::forward<F>(self->function));
      self->done.complete(true);
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
