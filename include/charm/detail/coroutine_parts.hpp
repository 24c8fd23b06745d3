// The parts of coroutines: the job that resumes one, the memory of frames, and the result.
//
// A coroutine that is scheduled is a job like any other: the job lies in the awaiter and so in the coroutine's frame,
// nothing is allocated for it, and a thief may resume it anywhere. Invariant: once an await_suspend has handed the
// coroutine to another thread, it touches neither the awaiter nor the frame, since the coroutine may run, and end,
// meanwhile.
#pragma once

#include <charm/detail/job_memory.hpp>
#include <charm/detail/result.hpp>
#include <charm/detail/scheduler.hpp>
#include <charm/detail/target.hpp>
#include <charm/detail/worker.hpp>

#include <atomic>
#include <coroutine>
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace charm::detail {

/// Something that waits for coroutines (sync_wait(), a scope, when_any()) and must be told if finalize() drops a task
/// that runs one of them. Every coroutine has the sponsor of the coroutine that awaits it. A sponsor's memory stays
/// valid even if its coroutines never end.
struct Sponsor {
  explicit Sponsor(void (*function)(Sponsor*) noexcept) noexcept : dropped(function) {}
  /// Called for each task that was dropped; no worker runs any more. The waiter is told once.
  void notify() noexcept {
    if (!notified.exchange(true, std::memory_order_relaxed)) dropped(this);
  }
  void (*dropped)(Sponsor*) noexcept;
  std::atomic<bool> notified{false};
};

/// Says for whom the running task runs a coroutine.
class OnBehalf : AwaitedJob {
 public:
  explicit OnBehalf(Sponsor* sponsor) noexcept : AwaitedJob(nullptr, &OnBehalf::drop), sponsor_(sponsor) {
    if (sponsor_ != nullptr) begin_awaited(*this);
  }
  OnBehalf(const OnBehalf&) = delete;
  OnBehalf& operator=(const OnBehalf&) = delete;
  ~OnBehalf() {
    if (sponsor_ != nullptr) end_awaited(*this);
  }

 private:
  static void drop(AwaitedJob* job, Drop step) noexcept {
    if (step == Drop::notify) static_cast<OnBehalf*>(job)->sponsor_->notify();
  }
  Sponsor* sponsor_;
};

/// Resumes a coroutine when it is run.
struct ResumeJob : ListedJob {
  ResumeJob() noexcept : ListedJob(&ResumeJob::start) {}
  static void start(Job* job) noexcept {
    auto* self = static_cast<ResumeJob*>(job);
    std::coroutine_handle<> next = self->coroutine;  // the job goes with the awaiter
    const OnBehalf of(self->sponsor);
    next.resume();
  }
  std::coroutine_handle<> coroutine;
  Sponsor* sponsor = nullptr;  // of the coroutine
};

/// The sponsor of a coroutine; null for one of another library.
template <class Promise>
Sponsor* sponsor_of(std::coroutine_handle<Promise> coroutine) noexcept {
  if constexpr (requires { coroutine.promise().further.sponsor; })
    return coroutine.promise().further.sponsor;
  else
    return nullptr;
}

/// Continues with a coroutine by symmetric transfer, as await_suspend returns it. That takes no stack if the compiler
/// makes a tail call of it; GCC does not below -O2 or with sanitizers. Then a long chain of awaits uses much stack, so
/// when the stack is nearly used up the coroutine continues in a job of its own.
inline std::coroutine_handle<> transfer_to(std::coroutine_handle<> next, [[maybe_unused]] ResumeJob& job) noexcept {
#if !defined(__clang__)
  const WorkerBase* worker = this_worker();
  if (worker != nullptr && stack_here() < worker->stack_limit) [[unlikely]] {
    job.coroutine = next;
    submit_where_bound(job);  // the last access: it may run, and end, meanwhile
    return std::noop_coroutine();
  }
#endif
  return next;
}

class ScheduleAwaiter {
 public:
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> coroutine) {
    job_.coroutine = coroutine;
    job_.sponsor = sponsor_of(coroutine);
    submit(job_);
  }
  void await_resume() const noexcept {}

 private:
  ResumeJob job_;
};

class ScheduleThereAwaiter {
 public:
  explicit ScheduleThereAwaiter(Target target) noexcept : target_(target) {}
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> coroutine) {
    job_.coroutine = coroutine;
    job_.sponsor = sponsor_of(coroutine);
    post(target_, job_);
  }
  void await_resume() const noexcept {}

 private:
  Target target_;
  ResumeJob job_;
};

/// Frames come from the worker's pool of job memory, except those whose promise, and so whose result, needs a larger
/// alignment than the pools have. For other variables in a frame GCC and Clang do not align beyond operator new: keep
/// over-aligned variables that live over a co_await behind a pointer.
template <class Promise>
struct PooledFrame {  // NOLINT(bugprone-crtp-constructor-accessibility): it asks Promise for its alignment alone
  static void* operator new(std::size_t bytes) {
    if constexpr (!fits_pool<Promise>)
      return ::operator new(bytes, std::align_val_t{alignof(Promise)});
    else
      return take_job_memory(bytes);
  }
  static void operator delete(void* frame, std::size_t bytes) noexcept {
    if constexpr (!fits_pool<Promise>)
      ::operator delete(frame, std::align_val_t{alignof(Promise)});
    else
      give_job_memory(frame, bytes);
  }
};

/// The result of a coroutine, or its exception.
template <class T>
struct PromiseResult {
  Result<T> result;
  template <class U = T>
    requires std::is_convertible_v<U&&, T>
  void return_value(U&& value) {
    result.set_from([&]() -> T { return std::forward<U>(value); });
  }
  void unhandled_exception() noexcept {
    result.set_from([]() -> T { throw; });
  }
};
template <>
struct PromiseResult<void> {
  Result<void> result;
  void return_void() noexcept {}
  void unhandled_exception() noexcept {
    result.set_from([] { throw; });
  }
};

}  // namespace charm::detail
