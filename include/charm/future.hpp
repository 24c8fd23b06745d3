// The future result of a task: async() makes one, get() waits for it without blocking a worker.
#pragma once

#include <charm/detail/cancel_scope.hpp>
#include <charm/detail/completion.hpp>
#include <charm/detail/job_memory.hpp>
#include <charm/detail/result.hpp>
#include <charm/detail/scheduler.hpp>
#include <charm/detail/wait_list.hpp>
#include <charm/detail/worker.hpp>
#include <charm/error.hpp>

#include <atomic>
#include <chrono>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace charm {
template <class T>
class future;

namespace detail {

/// What a future and the task that fills it share, and the task as a job; the last of the two frees it.
template <class T>
struct Shared : AwaitedJob {
  using AwaitedJob::AwaitedJob;
  Result<T> result;
  Completion done;
  std::atomic<int> owners{2};
  int home = -1;  // the worker whose pool the block is from
  void (*destroy)(Shared*) noexcept = nullptr;
  void release() noexcept {
    // The last one knows that it is: nobody else can touch the count, and no exchange is needed.
    if (owners.load(std::memory_order_acquire) == 1 || owners.fetch_sub(1, std::memory_order_acq_rel) == 1)
      destroy(this);
  }
};

/// The task: job, function and shared state in one block. The function is destroyed before the future is ready, so
/// its captures are gone when a wait ends. `destroy` points to a function that knows whether the function still exists,
/// which costs no more memory.
template <class F, class T>
struct AsyncJob : Shared<T> {
  template <class G>
  AsyncJob(std::in_place_t, G&& f) noexcept(std::is_nothrow_constructible_v<F, G>)
      : Shared<T>(&AsyncJob::start, &AsyncJob::drop), function(std::forward<G>(f)) {
    this->destroy = [](Shared<T>* shared) noexcept {
      auto* self = static_cast<AsyncJob*>(shared);
      self->function.~F();
      end_job(self);
    };
  }
  AsyncJob(const AsyncJob&) = delete;
  AsyncJob& operator=(const AsyncJob&) = delete;
  ~AsyncJob() {}  // NOLINT: the function has its own end
  static void start(Job* job) noexcept {
    auto* self = static_cast<AsyncJob*>(job);
    begin_awaited(*self);
    self->result.set_from(self->function);
    if constexpr (!std::is_trivially_destructible_v<F>) {
      self->destroy = [](Shared<T>* shared) noexcept { end_job(static_cast<AsyncJob*>(shared)); };
      self->function.~F();
    }
    end_awaited(*self, reinterpret_cast<const void*>(&AsyncJob::start));
    self->done.complete(true);
    self->release();
  }
  static void drop(AwaitedJob* job, Drop step) noexcept {
    auto* self = static_cast<AsyncJob*>(job);
    if (step == Drop::release) return self->release();
    self->result.set_error(dropped_error());
    self->done.complete();
  }
  union {
    F function;
  };
};

template <class F>
auto* make_async(F&& function) {
  using Function = std::decay_t<F>;
  using Made = AsyncJob<Function, std::invoke_result_t<Function&>>;
  return make_job<Made>(this_worker(), std::in_place, std::forward<F>(function));
}

struct FutureAccess {
  /// \throws Error (bad_input) where there is no task.
  template <class T>
  static Shared<T>& shared(future<T>& f) {
    f.check();
    return *f.shared_;
  }
};

}  // namespace detail

/// The future result of a task. Movable, with one owner. Call get() once. If a future is destroyed before, its task
/// goes on, and the result is dropped.
template <class T>
class future {
 public:
  future() = default;
  /// For async() and call_async(): takes over the caller's ownership.
  explicit future(detail::Shared<T>* shared) noexcept : shared_(shared) {}
  /// The other one has no task afterwards.
  future(future&& other) noexcept : shared_(std::exchange(other.shared_, nullptr)) {}
  /// The other one has no task afterwards. The task that this one had goes on, and its result is dropped.
  future& operator=(future&& other) noexcept {
    if (this != &other) {
      reset();
      shared_ = std::exchange(other.shared_, nullptr);
    }
    return *this;
  }
  ~future() { reset(); }

  /// Whether it has a task whose result was not taken yet.
  [[nodiscard]] bool valid() const noexcept { return shared_ != nullptr; }
  /// Whether get() would return at once.
  [[nodiscard]] bool ready() const noexcept { return shared_ != nullptr && shared_->done.done(); }

  /// Waits until the task has ended. The calling task may be suspended (docs/suspension.md); other tasks run meanwhile,
  /// or the future's task itself if no worker has taken it yet. Only one task may wait at a time. Cancelling the group
  /// of the waiting task does not end the wait, because the future's task often refers to variables of the waiting
  /// one. \throws Error (bad_input) if the future has no task.
  void wait() {
    check();
    if (shared_->done.done()) return;
    detail::run_own_child(*shared_);
    wait_deadline(detail::Completion::never);
  }
  /// As wait(), but the wait ends when stop is requested. \return whether the task is done; if not it goes on, and the
  /// variables that it refers to must outlive it.
  bool wait(const std::stop_token& stop) { return ready() || wait_deadline(detail::Completion::never, &stop); }

  /// As wait(), but waits no longer than `duration`. \return whether the task was done in time.
  template <class Rep, class Period>
  bool wait_for(const std::chrono::duration<Rep, Period>& duration) {
    return ready() || wait_deadline(detail::deadline_after(duration));
  }
  /// Like wait_for, until a point in time.
  template <class Clock, class Duration>
  bool wait_until(const std::chrono::time_point<Clock, Duration>& time) {
    return ready() || wait_deadline(detail::deadline_at(time));
  }

  /// Waits and returns the value, or rethrows the task's exception. \throws Error (bad_input) if the future has no
  /// task; (not_running) if finalize() has dropped the task because it waited for something that could no longer
  /// happen.
  T get() {
    wait();
    struct Reset {
      future& self;
      ~Reset() { self.reset(); }
    } reset{*this};
    return shared_->result.take();
  }

 private:
  friend struct detail::FutureAccess;
  void check() const {
    if (shared_ == nullptr)
      throw Error(Errc::bad_input, "wait on a future without a task",
                  "wait once, on a future that async() or call_async() made");
  }
  bool wait_deadline(std::int64_t deadline, const std::stop_token* stop = nullptr) {
    check();
    return shared_->done.wait_until(deadline, {detail::Wait::task, &shared_->done, nullptr, false, stop});
  }
  void reset() noexcept {
    if (shared_ != nullptr) std::exchange(shared_, nullptr)->release();
  }
  detail::Shared<T>* shared_ = nullptr;
};

/// Starts `function` as an independent task and returns the future of its result. The task belongs to no group, so that
/// nothing cancels it. \throws Error (not_running).
template <class F>
auto async(F&& function) -> future<std::invoke_result_t<std::decay_t<F>&>> {
  auto* job = detail::make_async(std::forward<F>(function));
  try {
    detail::submit(*job);
  } catch (...) {
    job->destroy(job);
    throw;
  }
  return future<std::invoke_result_t<std::decay_t<F>&>>(job);
}

}  // namespace charm
