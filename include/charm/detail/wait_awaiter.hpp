// Awaits any function that waits: it is called in a task of its own, which then goes on with the coroutine. So such a
// wait keeps a fiber while it lasts, and is listed, dropped and reported as the waits of tasks are.
#pragma once

#include <charm/detail/cancel_scope.hpp>
#include <charm/detail/coroutine_parts.hpp>
#include <charm/detail/result.hpp>
#include <charm/detail/scheduler.hpp>

#include <coroutine>
#include <type_traits>
#include <utility>

namespace charm::detail {

/// The result of `co_await` is what `wait()` returns or throws. Where it has `ready()`, and that returns true, the
/// coroutine is not suspended.
template <class F>
class WaitAwaiter {
 public:
  explicit WaitAwaiter(F wait) noexcept(std::is_nothrow_move_constructible_v<F>) : job_(std::move(wait)) {}
  [[nodiscard]] bool await_ready() {
    if constexpr (requires { job_.wait.ready(); })
      return job_.wait.ready();
    else
      return false;
  }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> coroutine) {
    job_.coroutine = coroutine;
    job_.sponsor = sponsor_of(coroutine);
    submit(job_);
  }
  std::invoke_result_t<F&> await_resume() {
    if (job_.coroutine == nullptr) return job_.wait();  // it was ready
    return job_.result.take();
  }

 private:
  struct WaitJob : ListedJob {
    explicit WaitJob(F&& f) : ListedJob(&WaitJob::start), wait(std::move(f)) {}
    static void start(Job* job) noexcept {
      auto* self = static_cast<WaitJob*>(job);
      const WithScope alone(
          nullptr);  // it may run in the scope of a task whose deque is full, and must not be cancelled
      const OnBehalf of(self->sponsor);
      self->result.set_from(self->wait);
      self->coroutine.resume();  // the job goes with the awaiter
    }
    F wait;
    Result<std::invoke_result_t<F&>> result;
    std::coroutine_handle<> coroutine;
    Sponsor* sponsor = nullptr;
  };
  WaitJob job_;
};

}  // namespace charm::detail
