// Structured fork-join: run two functions, perhaps in parallel, and wait for both.
#pragma once

#include <charm/detail/cancel_scope.hpp>
#include <charm/detail/completion.hpp>
#include <charm/detail/result.hpp>
#include <charm/detail/stack_room.hpp>
#include <charm/detail/worker.hpp>
#include <charm/runtime.hpp>

#include <exception>
#include <type_traits>
#include <utility>

namespace charm {
namespace detail {

/// A function forked off by a parent that waits for it; lives on the parent's stack.
template <class F>
class ForkedJob : public Job {
 public:
  using Value = std::invoke_result_t<F&>;
  ForkedJob(F& function, const WorkerBase* worker) noexcept
      : Job(&ForkedJob::run_stolen), function_(function), scope_(worker->scope) {}

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
    {
      WithScope within(self->scope_);
      self->result_.set_from(self->function_);
    }
    self->done_.complete(true);
  }

  F& function_;
  const CancelScope* scope_;
  Completion done_;
  Result<Value> result_;
};

/// Takes `job` back from where it was pushed. If the task has moved to another worker meanwhile, or other tasks' jobs
/// lie on top, the job stays where it is: it will be run, and is waited for.
[[gnu::always_inline]] inline bool take_back(WorkerBase* pushed_on, std::int64_t index, const Job& job) noexcept {
  if (this_worker() != pushed_on) [[unlikely]]
    return false;
  return pushed_on->deque.take_back(index, &job);
}

template <class F, class G>
[[gnu::always_inline]] inline void invoke_pair(WorkerBase* worker, F& first, G& second) {
  ForkedJob<G> job(second, worker);
  std::int64_t index = worker->deque.push(&job);
  if (index == Deque::full) [[unlikely]] {
    first();
    second();
    return;
  }
  try {
    first();
  } catch (...) {
    // The sibling must not outlive this frame: it is taken back unrun, or waited for.
    if (!take_back(worker, index, job)) job.wait();
    throw;
  }
  if (take_back(worker, index, job)) [[likely]] {
    job.run_here();
  } else {
    job.join();
  }
}

template <class F, class G>
[[gnu::noinline, gnu::cold]] void on_new_stack(F& first, G& second) {
  struct Call {
    F& first;
    G& second;
    std::exception_ptr error;
  } call{first, second, nullptr};
  continue_on_new_stack(
      [](void* argument) noexcept {
        auto* c = static_cast<Call*>(argument);
        try {
          invoke_pair(this_worker(), c->first, c->second);
        } catch (...) {
          c->error = std::current_exception();
        }
      },
      &call);
  if (call.error) std::rethrow_exception(call.error);
}

template <class F, class G>
[[gnu::noinline, gnu::cold]] void from_outside(F& first, G& second) {
  run([&] { invoke_pair(this_worker(), first, second); });
}

}  // namespace detail

/// Runs `first()` and `second()`, the second possibly on another worker, and returns when both are done. Either may
/// fork again to any depth. If both throw, the exception of `first` is rethrown. If another worker has taken the
/// second, the task may be suspended until the second is done, and may continue on another worker (docs/suspension.md).
/// In a thread outside of tasks it is run as a task. \throws Error (not_running).
template <class F, class G>
[[gnu::always_inline]] inline void invoke(F&& first, G&& second) {
  detail::WorkerBase* worker = detail::this_worker();
  if (worker == nullptr) [[unlikely]] {
    detail::from_outside(first, second);
  } else if (detail::stack_here() < worker->stack_limit) [[unlikely]] {
    detail::on_new_stack(first, second);
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
