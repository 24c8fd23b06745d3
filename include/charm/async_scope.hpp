// A scope for tasks that nobody waits for one by one: a server's requests, background work of an object. No task
// outlives its scope.
#pragma once

#include <charm/coroutine.hpp>
#include <charm/detail/cancel_scope.hpp>
#include <charm/detail/detached_coroutine.hpp>
#include <charm/detail/job_memory.hpp>
#include <charm/detail/scheduler.hpp>
#include <charm/detail/wait_list.hpp>
#include <charm/detail/worker.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <type_traits>
#include <utility>

namespace charm {
namespace detail {

/// A latch whose waits no cancellation ends: a scope waits in its destructor, too.
class Gate {
 public:
  void open() noexcept {
    lock_.lock();
    open_ = true;
    Waiter* all = waiters_.take();
    lock_.unlock();
    wake_all(all);
  }
  void wait() {
    lock_.lock();
    if (open_) return lock_.unlock();
    Waiter self;
    waiters_.push_back(self);
    lock_.unlock();
    wait_listed(lock_, waiters_, self, Completion::never, {Wait::group, this});
  }

 private:
  SpinLock lock_;
  bool open_ = false;
  WaitList waiters_;
};

}  // namespace detail

/// Tasks and coroutines that any thread or task may start at any time, and of which none outlives the scope: the
/// destructor waits for all. A scope differs from a task_group in three ways. It may live anywhere (a member of a
/// server object), and belongs to no other group. A task that throws does not cancel the others. And the scope ends:
/// while join() waits, its tasks may still spawn others, but once the last of them has ended, or after close(), the
/// scope accepts no more tasks.
class async_scope {
 public:
  async_scope() = default;
  async_scope(const async_scope&) = delete;
  async_scope& operator=(const async_scope&) = delete;
  /// Cancels, and waits for all tasks; an exception that join() has not rethrown is dropped.
  ~async_scope() {
    cancel();
    close();
    wait();
  }

  /// Starts `function()` as a task. \return false if the scope was closed or has ended; then nothing was started.
  /// \throws Error (not_running), and what copying `function` throws; then nothing was started either.
  template <class F>
    requires std::is_invocable_v<std::decay_t<F>&>
  bool spawn(F&& function) {
    using Spawned = ScopeJob<std::decay_t<F>>;
    if (!enter()) return false;
    Entered entered(*this);
    auto* job = detail::make_job<Spawned>(detail::this_worker(), *this, std::forward<F>(function));
    try {
      detail::submit(*job);
    } catch (...) {
      detail::end_job(job);
      throw;
    }
    entered.keep();
    return true;
  }

  /// Starts a coroutine as a task; its result is dropped. \return and \throws as above.
  template <class T>
  bool spawn(task<T> coroutine) {
    if (!enter()) return false;
    Entered entered(*this);
    detail::DetachedCoroutine runner = run_in(*this, std::move(coroutine));
    runner.call_at_end({[](void* scope) noexcept { static_cast<async_scope*>(scope)->leave(); }, this});
    runner.call_if_dropped({[](void* scope) noexcept { static_cast<async_scope*>(scope)->drop(); }, this});
    runner.start();
    entered.keep();
    return true;
  }

  /// Refuses further tasks from now on. Does not wait.
  void close() noexcept { closed_.store(true, std::memory_order_relaxed); }

  /// Waits until all tasks have ended, also those that are spawned meanwhile; then the scope has ended. \throws the
  /// first exception that left a task. Several tasks or threads may call join(); one of them gets the exception.
  void join() {
    wait();
    std::exception_ptr error;
    {
      std::lock_guard lock(error_mutex_);
      error = std::exchange(error_, nullptr);
    }
    if (error) std::rethrow_exception(error);
  }

  /// Drops the tasks that have not begun. Running tasks may ask is_cancelled(), or charm::is_cancelled() (not in
  /// coroutines), and loops and groups within them stop early. Does not wait, and cannot be undone.
  void cancel() noexcept { scope_.cancel(); }
  /// Whether cancel() was called.
  [[nodiscard]] bool is_cancelled() const noexcept { return scope_.cancelled(); }
  /// Number of tasks that have not ended, at the moment.
  [[nodiscard]] std::int64_t size() const noexcept {
    const std::int64_t count = count_.load(std::memory_order_relaxed);
    return count > 0 && !joined_.load(std::memory_order_relaxed) ? count - 1 : count;
  }

 private:
  // - The count never rises from zero: count_ is the number of tasks, and one more until join() is called. It never
  //   rises from 0, so exactly one call of leave() makes it 0. That call opens `all_ended_`, and is the last access of
  //   any task to the scope.
  bool enter() noexcept {
    if (closed_.load(std::memory_order_relaxed)) return false;
    std::int64_t seen = count_.load(std::memory_order_relaxed);
    do {
      if (seen == 0) return false;
    } while (!count_.compare_exchange_weak(seen, seen + 1, std::memory_order_relaxed));
    return true;
  }
  void leave() noexcept {
    if (count_.fetch_sub(1, std::memory_order_acq_rel) == 1) all_ended_.open();
  }
  void wait() {
    if (!joined_.exchange(true, std::memory_order_relaxed)) leave();
    all_ended_.wait();
  }
  /// In a catch block.
  void fail() noexcept {
    std::lock_guard lock(error_mutex_);
    if (!error_) error_ = std::current_exception();
  }

  /// Called for a task that finalize() has dropped.
  void drop() noexcept {
    try {
      std::rethrow_exception(detail::dropped_error());
    } catch (...) {
      fail();
    }
    leave();
  }

  /// Leaves again if nothing could be started.
  class Entered {
   public:
    explicit Entered(async_scope& scope) noexcept : scope_(&scope) {}
    Entered(const Entered&) = delete;
    Entered& operator=(const Entered&) = delete;
    ~Entered() {
      if (scope_ != nullptr) scope_->leave();
    }
    void keep() noexcept { scope_ = nullptr; }

   private:
    async_scope* scope_;
  };

  template <class F>
  struct ScopeJob : detail::AwaitedJob {
    template <class G>
    ScopeJob(async_scope& s, G&& f) noexcept(std::is_nothrow_constructible_v<F, G>)
        : AwaitedJob(&ScopeJob::start, &ScopeJob::drop), scope(s), function(std::forward<G>(f)) {}
    static void start(detail::Job* job) noexcept {
      auto* self = static_cast<ScopeJob*>(job);
      async_scope& scope = self->scope;
      detail::begin_awaited(*self);
      if (!scope.is_cancelled()) {
        detail::WithScope within(&scope.scope_);
        try {
          std::invoke(self->function);
        } catch (...) {
          scope.fail();
        }
      }
      detail::end_awaited(*self, reinterpret_cast<const void*>(&ScopeJob::start));
      detail::end_job(self);
      scope.leave();
    }
    static void drop(detail::AwaitedJob* job, detail::Drop step) noexcept {
      auto* self = static_cast<ScopeJob*>(job);
      if (step == detail::Drop::release) return detail::end_job(self);
      self->scope.drop();
    }
    async_scope& scope;
    int home = -1;  // the worker whose pool the block is from
    F function;
  };

  template <class T>
  static detail::DetachedCoroutine run_in(async_scope& scope, task<T> coroutine) {
    if (!scope.is_cancelled()) {
      try {
        static_cast<void>(co_await std::move(coroutine));
      } catch (...) {
        scope.fail();
      }
    }
    co_return nullptr;
  }

  std::atomic<std::int64_t> count_{1};
  std::atomic<bool> joined_{false};
  std::atomic<bool> closed_{false};
  detail::CancelScope scope_{nullptr};
  detail::Gate all_ended_;
  std::mutex error_mutex_;
  std::exception_ptr error_;
};

}  // namespace charm
