// A coroutine that nobody awaits: a job like any other, which destroys its frame at its end. Whoever starts it sets
// what happens then: a function is called when the frame is gone, or another coroutine continues.
#pragma once

#include <charm/detail/coroutine_parts.hpp>
#include <charm/detail/scheduler.hpp>

#include <coroutine>
#include <exception>
#include <utility>

namespace charm::detail {

class DetachedCoroutine {
 public:
  struct End {
    void (*function)(void*) noexcept = nullptr;
    void* argument = nullptr;
  };
  struct promise_type : PooledFrame<promise_type>, Sponsor {
    promise_type() noexcept : Sponsor(&promise_type::drop) { further.sponsor = this; }
    static void drop(Sponsor* self) noexcept {
      const End then = static_cast<promise_type*>(self)->if_dropped;
      if (then.function != nullptr) then.function(then.argument);
    }
    DetachedCoroutine get_return_object() noexcept {
      return DetachedCoroutine(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
    struct Final {
      [[nodiscard]] bool await_ready() const noexcept { return false; }
      [[nodiscard]] std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> self) const noexcept {
        const End at_end = self.promise().end;
        ResumeJob* const then = self.promise().next;
        self.destroy();
        if (at_end.function != nullptr) at_end.function(at_end.argument);
        if (then == nullptr) return std::noop_coroutine();
        if (this_worker() == nullptr) return then->coroutine;
        submit_where_bound(*then);  // in a job of its own, on behalf of its own sponsor
        return std::noop_coroutine();
      }
      void await_resume() const noexcept {}
    };
    [[nodiscard]] Final final_suspend() const noexcept { return {}; }
    /// `co_return` takes the job to continue with; null: nothing.
    void return_value(ResumeJob* job) noexcept { next = job; }
    [[noreturn]] void unhandled_exception() const noexcept { std::terminate(); }  // bodies catch everything

    ResumeJob further;
    ResumeJob* next = nullptr;
    End end;
    End if_dropped;
  };

  DetachedCoroutine(DetachedCoroutine&& other) noexcept : coroutine_(std::exchange(other.coroutine_, nullptr)) {}
  DetachedCoroutine& operator=(DetachedCoroutine&&) = delete;
  ~DetachedCoroutine() {
    if (coroutine_ != nullptr) coroutine_.destroy();
  }

  /// Calls `end` when the frame is gone.
  void call_at_end(End end) noexcept { coroutine_.promise().end = end; }
  /// Calls this instead, once, if finalize() drops a task that runs it. The frame stays.
  void call_if_dropped(End then) noexcept { coroutine_.promise().if_dropped = then; }
  /// Queues it as a task, which owns its frame from now on. \throws Error (not_running).
  void start() {
    ResumeJob& job = coroutine_.promise().further;
    job.coroutine = coroutine_;
    const auto self = std::exchange(coroutine_, nullptr);  // it may be gone when submit() returns
    try {
      submit(job);
    } catch (...) {
      coroutine_ = self;
      throw;
    }
  }

 private:
  explicit DetachedCoroutine(std::coroutine_handle<promise_type> coroutine) noexcept : coroutine_(coroutine) {}
  std::coroutine_handle<promise_type> coroutine_;
};

}  // namespace charm::detail
