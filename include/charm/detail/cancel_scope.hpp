// A scope that can be cancelled: a loop or a task group, nested in the one whose task started it. Every worker knows
// the innermost scope of the task that it runs (WorkerBase::scope); a forked job has its parent's scope.
//
// A check must cost hardly anything, since every task that begins and every chunk of a loop makes one. So a scope walks
// its ancestors only if something has been cancelled since the last walk, which the counter `cancellations` shows. A
// stale value of the counter is harmless: the answer is as if the question had come a moment earlier. The walk ends at
// an ancestor that knows the answer, so a deep nest of scopes is walked once and not once from each level.
//
// The values of task_locals are stored in scopes, too, since tasks inherit them in the same way.
//
// Invariants
// - Flag, then counter: The flag is set before the counter is raised, and ancestors are read after the counter was
//   read. So a scope that remembers the counter's present value has seen every cancellation up to it. One that was
//   cancelled from outside stays so for its life, since the outer scope is renewed only after all within it have ended.
// - Mark, then ask: A task that is about to wait marks its scope and all outer ones, then asks whether one was
//   cancelled; cancel() raises the counter, then looks for the mark and ends the waits within
//   (sched/wait/cancelling.hpp). All four are sequentially consistent, so one of the two sees the other. A scope whose
//   mark is `whole` has marked ancestors.
#pragma once

#include <charm/detail/worker.hpp>
#include <charm/error.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <utility>

namespace charm::detail {

inline constinit std::atomic<std::uint64_t> cancellations{1};

/// Ends the waits of all tasks whose scope, or a scope around it, was cancelled.
void end_cancelled_waits() noexcept;

/// A value that a task_local has within a scope (charm/task_local.hpp).
struct Binding {
  const void* key;  // the task_local
  const void* value;
  const Binding* outer;
};

class CancelScope {
 public:
  explicit CancelScope(const CancelScope* outer) noexcept
      : outer_(outer), bindings_(outer != nullptr ? outer->bindings_ : nullptr) {}
  CancelScope(const CancelScope&) = delete;
  CancelScope& operator=(const CancelScope&) = delete;

  void cancel() noexcept {
    cancelled_.store(true, std::memory_order_relaxed);
    cancellations.fetch_add(1, std::memory_order_seq_cst);
    if (waited_in_.load(std::memory_order_seq_cst) != Mark::none) end_cancelled_waits();
  }
  [[nodiscard]] bool cancelled() const noexcept {
    return cancelled_.load(std::memory_order_relaxed) || (outer_ != nullptr && outer_cancelled());
  }
  /// Whether a scope around this one was cancelled.
  [[nodiscard]] bool outer_cancelled() const noexcept {
    const std::uint64_t now = cancellations.load(std::memory_order_acquire);
    if (seen_.load(std::memory_order_relaxed) == now) return false;
    return from_outside_.load(std::memory_order_relaxed) || look_outside(now);
  }

  /// Called before a wait that ends when the scope is cancelled. \return whether it has been cancelled already.
  [[nodiscard]] bool cancelled_before_wait() const noexcept {
    const CancelScope* end = this;
    for (; end != nullptr && end->waited_in_.load(std::memory_order_seq_cst) != Mark::whole; end = end->outer_)
      end->waited_in_.store(Mark::itself, std::memory_order_seq_cst);
    for (const CancelScope* scope = this; scope != end; scope = scope->outer_)
      scope->waited_in_.store(Mark::whole, std::memory_order_seq_cst);
    static_cast<void>(cancellations.load(std::memory_order_seq_cst));  // everything read below is at least as new
    return cancelled();
  }

  /// The values of task_locals in this scope, the innermost first.
  [[nodiscard]] const Binding* bindings() const noexcept { return bindings_; }

 protected:
  void renew() noexcept { cancelled_.store(false, std::memory_order_relaxed); }

  void bind(const Binding& binding) noexcept { bindings_ = &binding; }

 private:
  enum class Mark : std::uint8_t { none, itself, whole };

  [[gnu::noinline]] bool look_outside(std::uint64_t now) const noexcept {
    const CancelScope* end = outer_;
    bool found = false;
    for (; end != nullptr; end = end->outer_) {
      found = end->cancelled_.load(std::memory_order_relaxed) || end->from_outside_.load(std::memory_order_relaxed);
      if (found || end->seen_.load(std::memory_order_relaxed) == now) break;
    }
    for (const CancelScope* scope = this; scope != end; scope = scope->outer_) {
      if (found)
        scope->from_outside_.store(true, std::memory_order_relaxed);
      else
        scope->seen_.store(now, std::memory_order_relaxed);
    }
    return found;
  }

  const CancelScope* outer_;
  const Binding* bindings_;
  mutable std::atomic<std::uint64_t> seen_{0};
  std::atomic<bool> cancelled_{false};
  mutable std::atomic<bool> from_outside_{false};  // a scope around this one was cancelled
  mutable std::atomic<Mark> waited_in_{Mark::none};
};

/// A scope that keeps the first error of its parts, which cancels the others.
class FailScope : public CancelScope {
 public:
  using CancelScope::CancelScope;

  /// Called in a catch block. An error that a part threw only because it was cancelled is not kept.
  void fail() noexcept {
    std::exception_ptr error = std::current_exception();
    if (cancelled() && is_cancellation(error)) return;
    std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
    cancel();
  }

  /// Called when all parts have ended. \throws the first error; Error (cancelled) if an outer scope was cancelled,
  /// since the code that follows may depend on the parts that were left out.
  void finish() {
    renew();
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    if (outer_cancelled()) throw_cancelled();
  }

 private:
  static bool is_cancellation(const std::exception_ptr& error) noexcept {
    try {
      std::rethrow_exception(error);
    } catch (const Error& e) {
      return e.code() == Errc::cancelled;
    } catch (...) {
      return false;
    }
  }
  [[noreturn, gnu::cold]] static void throw_cancelled() {
    throw Error(Errc::cancelled, "a loop or group was cut short because the group that it belongs to was cancelled",
                "let this exception leave the task");
  }

  std::exception_ptr error_;
  std::mutex mutex_;
};

/// A scope that no cancellation around it reaches, for a step that has to be done whole; the values of task_locals are
/// those around it.
class ShieldedScope : public CancelScope {
 public:
  explicit ShieldedScope(const CancelScope* around) noexcept : CancelScope(nullptr) {
    if (around != nullptr && around->bindings() != nullptr) bind(*around->bindings());
  }
};

/// The place where a task in code of charm::blocking() keeps its scope, since it is on no worker; nullptr in other
/// threads.
const CancelScope** scope_in_blocking_code() noexcept;

/// Sets the scope of the running task for the time of a call. A task that waits meanwhile may come back on another
/// worker, and keeps its scope (sched/run/worker.cpp).
class WithScope {
 public:
  explicit WithScope(const CancelScope* scope) noexcept : outer_(std::exchange(this_worker()->scope, scope)) {}
  ~WithScope() { this_worker()->scope = outer_; }
  WithScope(const WithScope&) = delete;
  WithScope& operator=(const WithScope&) = delete;

 private:
  const CancelScope* outer_;
};

/// Called after a wait that has ended before its event. \throws Error (cancelled) if the task's group or loop was
/// cancelled; not while another exception leaves the task, whose destructors may have waits of their own.
void check_ended_wait();

}  // namespace charm::detail

namespace charm {

/// Whether the calling task was cancelled: by the task group into which it was spawned, the loop whose body
/// it runs, or a group or loop around these. For long computations that should stop early; false outside of tasks.
[[nodiscard]] inline bool is_cancelled() noexcept {
  const detail::WorkerBase* worker = detail::this_worker();
  return worker != nullptr && worker->scope != nullptr && worker->scope->cancelled();
}

}  // namespace charm
