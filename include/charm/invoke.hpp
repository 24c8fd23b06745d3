// Structured fork-join: run two functions, perhaps in parallel, and wait for both.
#pragma once

#include <charm/detail/completion.hpp>
#include <charm/detail/result.hpp>
#include <charm/detail/worker.hpp>

#include <type_traits>
#include <utility>

namespace charm {

template <class F>
auto run(F&& function) -> std::invoke_result_t<F>;

namespace detail {

/// A function forked off by a parent that waits for it; lives on the parent's stack.
template <class F>
class ForkedJob : public Job {
 public:
  using Value = std::invoke_result_t<F&>;
  explicit ForkedJob(F& function) noexcept : Job(&ForkedJob::run_stolen), function_(function) {}

  /// After a failed pop: the thief's result.
  Value join() {
    done_.wait();
    return result_.take();
  }
  void wait() { done_.wait(); }
  Value run_here() { return function_(); }

 private:
  static void run_stolen(Job* job) noexcept {
    auto* self = static_cast<ForkedJob*>(job);
    self->result_.set_from(self->function_);
    self->done_.complete(true);
  }

  F& function_;
  Completion done_;
  Result<Value> result_;
};

/// Runs `function(argument)` on a fresh stack in the name of the current task.
void continue_on_new_stack(void (*function)(void*) noexcept, void* argument);

/// Takes `job` back if it is still the newest of the worker that the task runs on now. If the task has moved to another
/// worker meanwhile, or other tasks' jobs lie on top, the job stays where it is: it will be run, and is waited for.
template <class JobType>
bool take_back(WorkerCore* pushed_on, JobType& job) noexcept {
  WorkerCore* worker = this_worker();
  if (worker != pushed_on) [[unlikely]] return false;
  Deque& deque = worker->deque;
  if (!deque.newest_is(&job)) [[unlikely]] return false;
  return deque.pop();
}

template <class F, class G>
void invoke_pair(WorkerCore* worker, F& first, G& second) {
  ForkedJob<G> job(second);
  if (!worker->deque.push(&job)) [[unlikely]] {
    first();
    second();
    return;
  }
  try {
    first();
  } catch (...) {
    // The sibling must not outlive this frame: it is taken back unrun, or waited for.
    if (!take_back(worker, job)) job.wait();
    throw;
  }
  if (take_back(worker, job)) [[likely]] {
    job.run_here();
  } else {
    job.join();
  }
}

template <class F>
void on_new_stack(F&& function) {
  struct Call {
    F& function;
    std::exception_ptr error;
  } call{function, nullptr};
  continue_on_new_stack(
      [](void* argument) noexcept {
        auto* c = static_cast<Call*>(argument);
        try {
          c->function();
        } catch (...) {
          c->error = std::current_exception();
        }
      },
      &call);
  if (call.error) std::rethrow_exception(call.error);
}

}  // namespace detail

/// Runs `first()` and `second()`, the second possibly on another worker, and returns when both are done. Either may
/// fork again to any depth. If both throw, the first's exception is the one that leaves.
template <class F, class G>
void invoke(F&& first, G&& second) {
  detail::WorkerCore* worker = detail::this_worker();
  if (worker == nullptr) [[unlikely]] {
    run([&] { invoke(first, second); });
  } else if (detail::stack_here() < worker->stack_limit) [[unlikely]] {
    detail::on_new_stack([&] { detail::invoke_pair(detail::this_worker(), first, second); });
  } else {
    detail::invoke_pair(worker, first, second);
  }
}

/// Runs all functions and returns when all are done.
template <class F, class G, class... More>
  requires(sizeof...(More) > 0)
void invoke(F&& first, G&& second, More&&... more) {
  invoke(std::forward<F>(first), [&] { invoke(std::forward<G>(second), std::forward<More>(more)...); });
}

}  // namespace charm
