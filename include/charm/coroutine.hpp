// C++20 coroutines on the runtime: `co_await charm::schedule()` goes on as a task, charm::task<T> is a lazy coroutine,
// when_all() forks several, sync_wait() waits for one as a future does.
//
// A coroutine that is scheduled is a job like any other: the job lies in the awaiter and so in the coroutine's frame,
// nothing is allocated for it, and a thief may resume it anywhere. Invariant: once an await_suspend has handed the
// coroutine to somebody, it touches neither the awaiter nor the frame, since the coroutine may run, and end, meanwhile.
//
// A coroutine holds no stack while it is suspended; a plain call in it that waits (future::get, a mutex) suspends the
// fiber that it runs on, as everywhere. Coroutines belong to no task group: cancelling one does not reach them.
#pragma once

#include <charm/call.hpp>
#include <charm/detail/completion.hpp>
#include <charm/detail/job_memory.hpp>
#include <charm/detail/result.hpp>
#include <charm/detail/scheduler.hpp>
#include <charm/detail/stack_room.hpp>
#include <charm/detail/worker.hpp>
#include <charm/error.hpp>
#include <charm/future.hpp>
#include <charm/runtime.hpp>

#include <atomic>
#include <coroutine>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace charm {
namespace detail {

/// Resumes a coroutine when it is run.
struct ResumeJob : ListedJob {
  ResumeJob() noexcept : ListedJob(&ResumeJob::start) {}
  static void start(Job* job) noexcept {
    std::coroutine_handle<> coroutine = static_cast<ResumeJob*>(job)->coroutine;  // the job goes with the awaiter
    coroutine.resume();
  }
  std::coroutine_handle<> coroutine;
};

/// Goes on with a coroutine: by symmetric transfer, as await_suspend returns it. That takes no stack where the compiler
/// makes a tail call of it, which GCC does not below -O2 nor with sanitizers. There a long chain of awaits piles up, so
/// where the stack is nearly used up the coroutine goes on in a job of its own, and the pile is left.
inline std::coroutine_handle<> transfer_to(std::coroutine_handle<> next, [[maybe_unused]] ResumeJob& job) noexcept {
#if !defined(__clang__)
  const WorkerBase* worker = this_worker();
  if (worker != nullptr && stack_here() < worker->stack_limit) [[unlikely]] {
    job.coroutine = next;
    submit_where_bound(job);  // the last touch: it may run, and end, meanwhile
    return std::noop_coroutine();
  }
#endif
  return next;
}

class ScheduleAwaiter {
 public:
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> coroutine) {
    job_.coroutine = coroutine;
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
  void await_suspend(std::coroutine_handle<> coroutine) {
    job_.coroutine = coroutine;
    post(target_, job_);
  }
  void await_resume() const noexcept {}

 private:
  Target target_;
  ResumeJob job_;
};

/// Frames come from the worker's pool of job memory, but for those whose promise, and so whose result, wants to be
/// aligned more than the pools do. What else a frame holds the compiler lays out, and GCC and Clang align no frame for
/// it beyond operator new: keep over-aligned variables that live over a co_await behind a pointer.
template <class Promise>
struct PooledFrame {
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

/// What a coroutine returned or threw.
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

}  // namespace detail

/// `co_await charm::schedule()`: the coroutine continues as a task of the runtime, and its caller continues here. On a
/// thread outside it moves the coroutine to a worker. \throws Error (not_running).
[[nodiscard]] inline detail::ScheduleAwaiter schedule() noexcept { return {}; }

/// The same on a certain worker, or on any of a chiplet or of a NUMA node. On a worker it stays there until it is
/// suspended the next time. \throws Error (bad_input) if no worker is there, (not_running).
[[nodiscard]] inline detail::ScheduleThereAwaiter schedule(on_worker where) noexcept {
  return detail::ScheduleThereAwaiter(detail::target(where));
}
[[nodiscard]] inline detail::ScheduleThereAwaiter schedule(on_chiplet where) noexcept {
  return detail::ScheduleThereAwaiter(detail::target(where));
}
[[nodiscard]] inline detail::ScheduleThereAwaiter schedule(on_node where) noexcept {
  return detail::ScheduleThereAwaiter(detail::target(where));
}

/// A lazy coroutine: it begins when it is awaited, on the stack of whoever awaits it, and goes back there by symmetric
/// transfer, so that long chains and loops of awaits do not pile up stack. (Outside of tasks they do where the compiler
/// makes no tail calls: GCC below -O2 or with sanitizers.) One owner; await it
/// once, as an rvalue: `T value = co_await std::move(t)`. One that is never awaited never runs, and goes with its
/// owner.
template <class T = void>
class [[nodiscard]] task {
 public:
  struct promise_type : detail::PromiseResult<T>, detail::PooledFrame<promise_type> {
    task get_return_object() noexcept { return task(Handle::from_promise(*this)); }
    [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
    struct Final {
      [[nodiscard]] bool await_ready() const noexcept { return false; }
      [[nodiscard]] std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> self) const noexcept {
        return detail::transfer_to(self.promise().continuation, self.promise().further);
      }
      void await_resume() const noexcept {}
    };
    [[nodiscard]] Final final_suspend() const noexcept { return {}; }
    std::coroutine_handle<> continuation;
    detail::ResumeJob further;
  };

  task() noexcept = default;
  /// The other one is empty afterwards.
  task(task&& other) noexcept : coroutine_(std::exchange(other.coroutine_, nullptr)) {}
  /// The other one is empty afterwards; a coroutine that this one held is destroyed.
  task& operator=(task&& other) noexcept {
    if (this != &other) {
      destroy();
      coroutine_ = std::exchange(other.coroutine_, nullptr);
    }
    return *this;
  }
  ~task() { destroy(); }

  /// Whether it holds a coroutine.
  [[nodiscard]] bool valid() const noexcept { return coroutine_ != nullptr; }

  /// \throws Error (bad_input) where the task was moved from.
  auto operator co_await() && {
    if (!valid())
      throw Error(Errc::bad_input, "co_await on a task that was moved from", "await a task once, through its owner");
    struct Awaiter {
      std::coroutine_handle<promise_type> coroutine;
      [[nodiscard]] bool await_ready() const noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) noexcept {
        coroutine.promise().continuation = caller;
        return detail::transfer_to(coroutine, coroutine.promise().further);
      }
      T await_resume() { return coroutine.promise().result.take(); }
    };
    return Awaiter{coroutine_};
  }

 private:
  using Handle = std::coroutine_handle<promise_type>;
  explicit task(Handle coroutine) noexcept : coroutine_(coroutine) {}
  void destroy() noexcept {
    if (coroutine_ != nullptr) coroutine_.destroy();
  }
  Handle coroutine_;
};

namespace detail {

/// Awaits one task for sync_wait or when_all; `Notify` is told at the end, and may return what to go on with.
template <class T, class Notify>
class Awaiting {
 public:
  struct promise_type : PromiseResult<T>, PooledFrame<promise_type> {
    Awaiting get_return_object() noexcept { return Awaiting(std::coroutine_handle<promise_type>::from_promise(*this)); }
    [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
    struct Final {
      [[nodiscard]] bool await_ready() const noexcept { return false; }
      auto await_suspend(std::coroutine_handle<promise_type> self) const noexcept {
        return self.promise().notify->ended();  // the frame may be gone when this returns
      }
      void await_resume() const noexcept {}
    };
    [[nodiscard]] Final final_suspend() const noexcept { return {}; }
    Notify* notify = nullptr;
  };

  Awaiting(Awaiting&& other) noexcept : coroutine(std::exchange(other.coroutine, nullptr)) {}
  Awaiting& operator=(Awaiting&&) = delete;
  ~Awaiting() {
    if (coroutine != nullptr) coroutine.destroy();
  }

  std::coroutine_handle<promise_type> coroutine;
  ResumeJob job;

 private:
  explicit Awaiting(std::coroutine_handle<promise_type> c) noexcept : coroutine(c) {}
};

template <class Notify, class T>
Awaiting<T, Notify> await(task<T> awaited) {
  co_return co_await std::move(awaited);
}

struct WakeThread {
  Completion done;
  void ended() noexcept { done.complete(); }
};

/// The last of several tasks to end goes on with the coroutine that waits for all.
struct CountDown {
  explicit CountDown(std::size_t count) noexcept : left(count) {}
  std::atomic<std::size_t> left;
  std::coroutine_handle<> waiter;
  std::coroutine_handle<> ended() noexcept {
    if (left.fetch_sub(1, std::memory_order_acq_rel) == 1) return waiter;
    return std::noop_coroutine();
  }
};

/// Starts all, the last one here. `parts` are Awaiting, in an array of pointers to their common members.
struct StartAll {
  struct Part {
    std::coroutine_handle<> coroutine;
    ResumeJob* job;
  };
  CountDown& count;
  const std::vector<Part>& parts;

  [[nodiscard]] bool await_ready() const noexcept { return parts.empty(); }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiter) {
    if (parts.size() > 1 && !initialized())
      throw Error(Errc::not_running, "when_all() while the runtime is not running", "call charm::init() first");
    count.waiter = waiter;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      parts[i].job->coroutine = parts[i].coroutine;
      try {
        submit(*parts[i].job);
      } catch (const Error&) {  // the runtime has ended since
        if (i == 0) throw;
        parts[i].coroutine.resume();  // some have begun and must be waited for, so this one runs here, as the last does
      }
    }
    return parts.back().coroutine;  // until that has run, the others cannot end the wait
  }
  void await_resume() const noexcept {}
};

template <class T>
using NotVoid = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

template <class T, class Notify>
NotVoid<T> take_result(Awaiting<T, Notify>& part) {
  if constexpr (std::is_void_v<T>) {
    part.coroutine.promise().result.take();
    return {};
  } else {
    return part.coroutine.promise().result.take();
  }
}

template <class T>
class FutureAwaiter {
 public:
  explicit FutureAwaiter(future<T>&& f) noexcept : job_(std::move(f)) {}
  [[nodiscard]] bool await_ready() {
    if (!job_.awaited.valid()) job_.awaited.wait();  // throws what there is to say
    return job_.awaited.ready();
  }
  void await_suspend(std::coroutine_handle<> coroutine) {
    job_.coroutine = coroutine;
    submit(job_);
  }
  T await_resume() { return job_.awaited.get(); }

 private:
  struct WaitJob : ListedJob {
    explicit WaitJob(future<T>&& f) noexcept : ListedJob(&WaitJob::start), awaited(std::move(f)) {}
    static void start(Job* job) noexcept {
      auto* self = static_cast<WaitJob*>(job);
      const WithScope alone(nullptr);  // it may run in the scope of a task whose deque is full, and must not be cancelled
      self->awaited.wait();
      self->coroutine.resume();
    }
    future<T> awaited;
    std::coroutine_handle<> coroutine;
  };
  WaitJob job_;
};

}  // namespace detail

/// Runs a task to its end and returns what it returns or throws. It begins on the caller's stack. If it is
/// suspended, the caller waits as for a future: in a task, other tasks run meanwhile.
template <class T>
T sync_wait(task<T> awaited) {
  detail::WakeThread notify;
  auto waiting = detail::await<detail::WakeThread>(std::move(awaited));
  waiting.coroutine.promise().notify = &notify;
  detail::with_stack_room(detail::this_worker(), [&]() noexcept { waiting.coroutine.resume(); });
  notify.done.wait();
  return waiting.coroutine.promise().result.take();
}

/// Forks the tasks: all but the last as tasks of the runtime that may be stolen, the last here; goes on when all have
/// ended, with a tuple of their results (std::monostate for void). If some threw, the first of them in the order of the
/// arguments leaves. \throws Error (not_running).
template <class... T>
  requires(sizeof...(T) > 0)
task<std::tuple<detail::NotVoid<T>...>> when_all(task<T>... tasks) {
  detail::CountDown count(sizeof...(T));
  std::tuple<detail::Awaiting<T, detail::CountDown>...> parts(detail::await<detail::CountDown>(std::move(tasks))...);
  std::vector<detail::StartAll::Part> list;
  std::apply(
      [&](auto&... part) {
        ((part.coroutine.promise().notify = &count), ...);
        list = {detail::StartAll::Part{part.coroutine, &part.job}...};
      },
      parts);
  co_await detail::StartAll{count, list};
  co_return std::apply([](auto&... part) { return std::tuple<detail::NotVoid<T>...>{detail::take_result(part)...}; },
                       parts);
}

/// The same for any number of tasks of one type.
template <class T>
task<std::vector<detail::NotVoid<T>>> when_all(std::vector<task<T>> tasks) {
  detail::CountDown count(tasks.size());
  std::vector<detail::Awaiting<T, detail::CountDown>> parts;
  std::vector<detail::StartAll::Part> list;
  parts.reserve(tasks.size());
  list.reserve(tasks.size());
  for (task<T>& each : tasks) {
    auto& part = parts.emplace_back(detail::await<detail::CountDown>(std::move(each)));
    part.coroutine.promise().notify = &count;
    list.push_back({part.coroutine, &part.job});
  }
  co_await detail::StartAll{count, list};
  std::vector<detail::NotVoid<T>> results;
  results.reserve(parts.size());
  for (auto& part : parts) results.push_back(detail::take_result(part));
  co_return results;
}

/// `co_await std::move(future)`: its value, or what its task threw. Goes on on the worker where the wait ended; while
/// it lasts, the wait holds a fiber. \throws Error (bad_input) where the future has no task, (not_running).
template <class T>
detail::FutureAwaiter<T> operator co_await(future<T>&& awaited) {
  return detail::FutureAwaiter<T>(std::move(awaited));
}

}  // namespace charm
