// C++20 coroutines on the runtime: after `co_await charm::schedule()` a coroutine goes on as a task, charm::task<T> is
// a lazy coroutine, when_all() forks several, and sync_wait() waits for one as a future does.
//
// A coroutine has no stack while it is suspended. A plain call that waits (future::get, a mutex) suspends the fiber
// that the coroutine runs on, as in any task. Coroutines belong to no task group: cancelling a group does not affect
// them.
#pragma once

#include <charm/call.hpp>
#include <charm/detail/completion.hpp>
#include <charm/detail/coroutine_parts.hpp>
#include <charm/detail/result.hpp>
#include <charm/detail/scheduler.hpp>
#include <charm/detail/stack_room.hpp>
#include <charm/detail/wait_awaiter.hpp>
#include <charm/detail/worker.hpp>
#include <charm/error.hpp>
#include <charm/future.hpp>
#include <charm/runtime.hpp>

#include <array>
#include <atomic>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace charm {
namespace detail {

/// The last of several tasks to end goes on with the coroutine that waits for all.
struct CountDown {
  explicit CountDown(std::size_t count) noexcept : left(count) {}
  std::atomic<std::size_t> left;
  std::coroutine_handle<> waiter;
};

/// \param further lies in the frame of the part, which may be gone once the waiter continues: only the last may touch
///   it.
inline std::coroutine_handle<> end_of_part(CountDown& count, ResumeJob& further) noexcept {
  const bool last = count.left.fetch_sub(1, std::memory_order_acq_rel) == 1;
  return last ? transfer_to(count.waiter, further) : std::noop_coroutine();
}

struct TaskAccess;

}  // namespace detail

/// `co_await charm::schedule()`: the coroutine continues as a task of the runtime, and its caller continues here. On a
/// thread outside it moves the coroutine to a worker. \throws Error (not_running).
[[nodiscard]] inline detail::ScheduleAwaiter schedule() noexcept { return {}; }

/// The same on a certain worker. The coroutine stays there until it is suspended the next time. \throws Error
/// (bad_input) if there is no such worker, (not_running).
[[nodiscard]] inline detail::ScheduleThereAwaiter schedule(on_worker where) noexcept {
  return detail::ScheduleThereAwaiter(detail::target(where));
}
/// The same on any worker of a chiplet.
[[nodiscard]] inline detail::ScheduleThereAwaiter schedule(on_chiplet where) noexcept {
  return detail::ScheduleThereAwaiter(detail::target(where));
}
/// The same on any worker of a NUMA node.
[[nodiscard]] inline detail::ScheduleThereAwaiter schedule(on_node where) noexcept {
  return detail::ScheduleThereAwaiter(detail::target(where));
}

/// A lazy coroutine: it begins when it is awaited, on the stack of the coroutine that awaits it, and returns there by
/// symmetric transfer, so that long chains and loops of awaits need no more and more stack. (Outside of tasks they do
/// if the compiler makes no tail calls: GCC below -O2 or with sanitizers.) A task has one owner; await it once, as an
/// rvalue: `T value = co_await std::move(t)`. A task that is never awaited never runs, and is destroyed with its owner.
template <class T = void>
class [[nodiscard]] task {
 public:
  struct promise_type : detail::PromiseResult<T>, detail::PooledFrame<promise_type> {
    task get_return_object() noexcept { return task(Handle::from_promise(*this)); }
    [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
    struct Final {
      [[nodiscard]] bool await_ready() const noexcept { return false; }
      [[nodiscard]] std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> self) const noexcept {
        if (self.promise().all != nullptr) return detail::end_of_part(*self.promise().all, self.promise().further);
        return detail::transfer_to(self.promise().continuation, self.promise().further);
      }
      void await_resume() const noexcept {}
    };
    [[nodiscard]] Final final_suspend() const noexcept { return {}; }
    std::coroutine_handle<> continuation;
    detail::CountDown* all = nullptr;  // instead: one of several that when_all() waits for
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

  /// Whether it has a coroutine: not after it was moved from.
  [[nodiscard]] bool valid() const noexcept { return coroutine_ != nullptr; }

  /// Runs the coroutine; the result of `co_await` is its value, or its exception is rethrown. \throws Error (bad_input)
  /// if the task was moved from.
  auto operator co_await() && {
    if (!valid())
      throw Error(Errc::bad_input, "co_await on a task that was moved from", "await a task once, through its owner");
    return Awaiter{coroutine_};
  }

 private:
  friend struct detail::TaskAccess;
  using Handle = std::coroutine_handle<promise_type>;
  struct Awaiter {
    std::coroutine_handle<promise_type> coroutine;
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> caller) noexcept {
      coroutine.promise().continuation = caller;
      coroutine.promise().further.sponsor = detail::sponsor_of(caller);
      return detail::transfer_to(coroutine, coroutine.promise().further);
    }
    T await_resume() { return coroutine.promise().result.take(); }
  };
  explicit task(Handle coroutine) noexcept : coroutine_(coroutine) {}
  void destroy() noexcept {
    if (coroutine_ != nullptr) coroutine_.destroy();
  }
  Handle coroutine_;
};

namespace detail {

/// Awaits one task for sync_wait. `Notify` is told when the task ends, and may return a coroutine to continue with; or
/// it is told that the task will never end.
template <class T, class Notify>
class Awaiting {
 public:
  struct promise_type : PromiseResult<T>, PooledFrame<promise_type>, Sponsor {
    promise_type() noexcept : Sponsor(&promise_type::drop) { further.sponsor = this; }
    static void drop(Sponsor* self) noexcept { static_cast<promise_type*>(self)->notify->dropped(); }
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
    ResumeJob further;
  };

  Awaiting(Awaiting&& other) noexcept : coroutine(std::exchange(other.coroutine, nullptr)) {}
  Awaiting& operator=(Awaiting&&) = delete;
  ~Awaiting() {
    if (coroutine != nullptr) coroutine.destroy();
  }

  std::coroutine_handle<promise_type> coroutine;

 private:
  explicit Awaiting(std::coroutine_handle<promise_type> c) noexcept : coroutine(c) {}
};

template <class Notify, class T>
Awaiting<T, Notify> await(task<T> awaited) {
  co_return co_await std::move(awaited);
}

struct WakeThread {
  Completion done;
  std::exception_ptr error;  // where finalize() has dropped a task that ran the coroutine
  void ended() noexcept { done.complete(); }
  void dropped() noexcept {
    error = dropped_error();
    done.complete();
  }
};

/// What when_all() needs of a task: its job and its coroutine, whose promise keeps the result. So a child needs no
/// memory besides its own frame.
struct TaskAccess {
  struct Part {
    std::coroutine_handle<> coroutine;
    ResumeJob* job = nullptr;
  };
  /// \throws Error (bad_input) where the task was moved from.
  template <class T>
  static Part begin(task<T>& part, CountDown& count) {
    if (!part.valid())
      throw Error(Errc::bad_input, "when_all() of a task that was moved from", "await a task once, through its owner");
    auto& promise = part.coroutine_.promise();
    promise.all = &count;
    return {part.coroutine_, &promise.further};
  }
  template <class T>
  static auto& result(task<T>& part) noexcept {
    return part.coroutine_.promise().result;
  }
};

/// Starts all, the last one here.
struct StartAll {
  CountDown& count;
  std::span<const TaskAccess::Part> parts;

  [[nodiscard]] bool await_ready() const noexcept { return parts.empty(); }
  template <class Promise>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> waiter) {
    if (parts.size() > 1 && !initialized())
      throw Error(Errc::not_running, "when_all() while the runtime is not running", "call charm::init() first");
    count.waiter = waiter;
    for (const TaskAccess::Part& part : parts) part.job->sponsor = sponsor_of(waiter);
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      parts[i].job->coroutine = parts[i].coroutine;
      try {
        submit(*parts[i].job);
      } catch (const Error&) {  // the runtime has ended since
        if (i == 0) throw;
        parts[i].coroutine.resume();  // some have begun and must be waited for, so this one runs here, as the last does
      }
    }
    return transfer_to(parts.back().coroutine,
                       *parts.back().job);  // until that has run, the others cannot end the wait
  }
  void await_resume() const noexcept {}
};

template <class T>
using NotVoid = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

template <class T>
NotVoid<T> take_result(task<T>& part) {
  if constexpr (std::is_void_v<T>) {
    TaskAccess::result(part).take();
    return {};
  } else {
    return TaskAccess::result(part).take();
  }
}

template <class T>
struct GetFuture {
  [[nodiscard]] bool ready() {
    if (!awaited.valid()) awaited.wait();  // throws: there is no task
    return awaited.ready();
  }
  T operator()() { return awaited.get(); }
  future<T> awaited;
};

}  // namespace detail

/// Runs a task to its end and returns what it returns or throws. In a task it begins on the caller's stack, elsewhere
/// as a task of its own: a stack that a thread came with may be too small for a chain of coroutines. If it is
/// suspended, the caller waits as for a future: in a task, other tasks run meanwhile. \throws Error (not_running) also
/// if finalize() has dropped a task that ran the coroutine, or one that it awaits, because it waited for something that
/// could no longer happen; their frames are then never freed.
template <class T>
T sync_wait(task<T> awaited) {
  detail::WakeThread notify;
  auto waiting = detail::await<detail::WakeThread>(std::move(awaited));
  waiting.coroutine.promise().notify = &notify;
  bool begun = false;
  auto begin = [&]() noexcept {
    begun = true;
    waiting.coroutine.resume();
  };
  if (detail::this_worker() == nullptr && initialized()) {
    try {
      run(begin);
    } catch (...) {  // finalize() has dropped it, perhaps in the middle of a call, where it cannot be destroyed
      if (begun) waiting.coroutine = nullptr;
      throw;
    }
  } else {
    detail::with_stack_room(detail::this_worker(), begin);
  }
  notify.done.wait();
  if (notify.error) {  // the coroutine is in the middle of a call, and cannot be destroyed
    waiting.coroutine = nullptr;
    std::rethrow_exception(std::move(notify.error));
  }
  return waiting.coroutine.promise().result.take();
}

/// Forks the tasks and waits for all: all but the last as tasks of the runtime that may be stolen, the last on the
/// current stack. The result is a tuple of their results (std::monostate for void). If some threw, the first exception
/// in the order of the arguments is rethrown. \throws Error (not_running), (bad_input) if a task was moved from.
template <class... T>
  requires(sizeof...(T) > 0)
task<std::tuple<detail::NotVoid<T>...>> when_all(task<T>... tasks) {
  detail::CountDown count(sizeof...(T));
  const std::array<detail::TaskAccess::Part, sizeof...(T)> parts{detail::TaskAccess::begin(tasks, count)...};
  co_await detail::StartAll{count, parts};
  // In braces, so that the first in the order of the arguments throws first.
  co_return std::tuple<detail::NotVoid<T>...>{detail::take_result(tasks)...};
}

/// The same for any number of tasks of one type.
template <class T>
task<std::vector<detail::NotVoid<T>>> when_all(std::vector<task<T>> tasks) {
  detail::CountDown count(tasks.size());
  std::vector<detail::TaskAccess::Part> parts;
  parts.reserve(tasks.size());
  for (task<T>& each : tasks) parts.push_back(detail::TaskAccess::begin(each, count));
  co_await detail::StartAll{count, parts};
  std::vector<detail::NotVoid<T>> results;
  results.reserve(tasks.size());
  for (task<T>& each : tasks) results.push_back(detail::take_result(each));
  co_return results;
}

/// `co_await std::move(future)` waits for the future's task; the result is its value, or its exception is rethrown. The
/// coroutine continues on the worker where the wait ended; the wait holds a fiber while it lasts. \throws Error
/// (bad_input) if the future has no task, (not_running).
template <class T>
detail::WaitAwaiter<detail::GetFuture<T>> operator co_await(future<T>&& awaited) {
  return detail::WaitAwaiter<detail::GetFuture<T>>({std::move(awaited)});
}

}  // namespace charm
