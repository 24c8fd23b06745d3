// Runs a function at a chosen place: on a worker, or on any worker of a chiplet or of a NUMA node (CHARM §4.6).
#pragma once

#include <charm/future.hpp>
#include <charm/named.hpp>
#include <charm/runtime.hpp>

#include <string_view>
#include <type_traits>
#include <utility>

namespace charm {

/// A destination of calls: this worker. The task stays on the worker, even after it was suspended.
struct on_worker {
  int id;  ///< 0 .. num_workers()-1
};
/// A destination: any worker of a chiplet. The task starts there; after it was suspended it may go on elsewhere.
struct on_chiplet {
  int id;  ///< index in Machine::chiplets
};
/// A destination: any worker of a NUMA node. The task starts there; after it was suspended it may go on elsewhere.
struct on_node {
  int id;  ///< index in Machine::nodes
};
/// A destination: any worker of the node on which the page of `address` lies (charm::where), or of the nearest node
/// that has workers; if the kernel does not know the node, any worker of the caller's node.
struct on_address {
  /// An address in the page.
  const void* address;
};

namespace detail {
Target target_of_address(const void* address);
inline Target target(on_address a) { return target_of_address(a.address); }
inline Target target(on_worker w) noexcept { return {Target::Kind::worker, w.id}; }
inline Target target(on_chiplet c) noexcept { return {Target::Kind::chiplet, c.id}; }
inline Target target(on_node n) noexcept { return {Target::Kind::node, n.id}; }
inline Target target(int worker) noexcept { return {Target::Kind::worker, worker}; }
}  // namespace detail

namespace detail {

template <class Where, class F>
auto* post_async(Where where, F&& function) {
  auto* job = make_async(std::forward<F>(function));
  try {
    post(target(where), *job);
  } catch (...) {
    job->destroy(job);
    throw;
  }
  return job;
}

}  // namespace detail

/// Starts `function` as a task at a destination, without waiting for it; the future has its result. \param where
/// on_worker, on_chiplet, on_node, on_address, or a worker's number. \throws Error (bad_input) if the destination has
/// no worker, (not_running).
template <class Where, class F>
auto call_async(Where where, F&& function) -> future<std::invoke_result_t<std::decay_t<F>&>> {
  return future<std::invoke_result_t<std::decay_t<F>&>>(detail::post_async(where, std::forward<F>(function)));
}

/// Runs `function` as a task at a destination, waits for it, and returns its value or rethrows its exception. So
/// `function` may refer to the caller's variables. The calling task may be suspended meanwhile (docs/suspension.md);
/// cancelling its group does not end the wait. Destinations and errors as for call_async().
template <class Where, class F>
auto call(Where where, F&& function) -> std::invoke_result_t<F&> {
  auto* job = detail::post_async(where, [&function]() -> std::invoke_result_t<F&> { return function(); });
  future<std::invoke_result_t<F&>> answer(job);
  detail::spin_for_reply(job->done);
  job->done.wait();  // also where the caller is cancelled: `function` refers to its variables
  return answer.get();
}

namespace detail {

/// Called when an exception has left a detached task: prints it and ends the program. \param name of the task; empty:
/// as name_task() gave it.
[[noreturn]] void detached_task_failed(std::string_view name) noexcept;

template <class F>
struct DetachedJob : ListedJob {
  template <class G>
  DetachedJob(std::in_place_t, G&& f) noexcept(std::is_nothrow_constructible_v<F, G>)
      : ListedJob(&DetachedJob::start), function(std::forward<G>(f)) {}
  static void start(Job* job) noexcept {
    auto* self = static_cast<DetachedJob*>(job);
    try {
      self->function();
    } catch (...) {
      detached_task_failed(name_of(self->function));
    }
    end_job(self);
  }
  int home = -1;  // the worker whose pool the block is from
  F function;
};

/// \param enqueue hands the job to the scheduler, or throws.
template <class F, class Enqueue>
void start_detached(F&& function, Enqueue enqueue) {
  using Made = DetachedJob<std::decay_t<F>>;
  auto* job = make_job<Made>(this_worker(), std::in_place, std::forward<F>(function));
  try {
    enqueue(*job);
  } catch (...) {
    end_job(job);
    throw;
  }
}

}  // namespace detail

/// Starts `function` as a task at a destination. Nobody waits for the task, except finalize(), and its result is
/// dropped. An exception that leaves it ends the program, as it does in a std::thread, after a notice that says so.
/// Destinations and errors as for call_async().
template <class Where, class F>
void call_detached(Where where, F&& function) {
  detail::start_detached(std::forward<F>(function),
                         [&](detail::ListedJob& job) { detail::post(detail::target(where), job); });
}

/// As call_detached(), on any worker.
template <class F>
void run_detached(F&& function) {
  detail::start_detached(std::forward<F>(function), [](detail::ListedJob& job) { detail::submit(job); });
}

}  // namespace charm
