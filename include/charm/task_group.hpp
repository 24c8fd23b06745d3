// A group of tasks: spawn any number, wait for all.
#pragma once

#include <charm/detail/cancel_scope.hpp>
#include <charm/detail/group_count.hpp>
#include <charm/detail/job_memory.hpp>
#include <charm/detail/scheduler.hpp>
#include <charm/detail/stack_room.hpp>
#include <charm/detail/worker.hpp>
#include <charm/runtime.hpp>

#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

namespace charm {

/// Tasks that run() spawns and wait() waits for. Any task may call run(), also a task of the group; only one task at a
/// time may call wait(). A spawned task may run at once on the caller's stack when the worker's deque is full, so it
/// must not wait for something that its spawner does later.
///
/// The first exception that leaves a task cancels the group and is rethrown by wait(). A cancelled group still counts
/// its tasks, but those that have not started do not run, and loops that its tasks run stop early.
///
/// A group that is a local variable of a task belongs to the group (or loop) of that task: when that is cancelled, this
/// one is, too. A group that lives elsewhere, say on the heap, is independent.
class task_group {
 public:
  task_group() noexcept : scope_(enclosing_scope()) {}
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;
  /// Cancels the group and waits; an exception that wait() has not rethrown is dropped.
  ~task_group() {
    if (count_.none()) return;
    cancel();
    finish();
  }

  /// Starts `function()` as a task of the group. \throws Error (not_running), and what copying `function` throws; then
  /// the group has as many tasks as before.
  template <class F>
  void run(F&& function) {
    using Spawned = GroupJob<std::decay_t<F>>;
    detail::WorkerBase* worker = detail::this_worker();
    auto* node = detail::make_job<Spawned>(worker, *this, std::forward<F>(function));
    if (worker == nullptr) [[unlikely]]
      return submit_from_outside(*node);
    // The frame that the group lives in is the spawner's own: it counts without an atomic (see GroupCount).
    bool home = detail::on_this_stack(worker, this);
    if (home)
      count_.add_at_home();
    else
      count_.add();
    if (worker->deque.push(node, true) == detail::Deque::full) [[unlikely]] {
      detail::with_stack_room(worker, [this, node] {
        detail::WithScope within(&scope_);
        node->run_here(node);
      });
      if (home)
        count_.remove_at_home();
      else
        count_.remove(false);
    }
  }

  /// Returns when all tasks are done; the caller may be suspended meanwhile (docs/suspension.md). Rethrows the first
  /// exception. After cancel() it returns normally. The group can be used again afterwards. \throws Error (cancelled)
  /// if a group that this one belongs to was cancelled.
  void wait();

  /// Drops the tasks that have not started, of this group and of the groups and loops that belong to it. Running tasks
  /// may ask is_cancelled(), or charm::is_cancelled() if they do not know the group; their waits end
  /// (docs/algorithms.md says which). The cancellation lasts until wait() returns. Does not wait.
  void cancel() noexcept { scope_.cancel(); }
  /// Whether this group, or one that it belongs to, was cancelled.
  [[nodiscard]] bool is_cancelled() const noexcept { return scope_.cancelled(); }
  /// The former spelling.
  [[deprecated("it is spelled is_cancelled")]] [[nodiscard]] bool is_canceled() const noexcept {
    return is_cancelled();
  }

 private:
  struct GroupNode : detail::AwaitedJob {
    GroupNode(Run function, Dropped drop, task_group& g) noexcept : AwaitedJob(function, drop), owner(g) {}
    task_group& owner;
    int home = -1;  // the worker whose pool the block is from
    // Runs the task without counting; for the waiter, which counts itself.
    void (*run_here)(GroupNode*) noexcept = nullptr;
  };
  template <class F>
  struct GroupJob : GroupNode {
    template <class G>
    GroupJob(task_group& g, G&& f) noexcept(std::is_nothrow_constructible_v<F, G>)
        : GroupNode(&GroupJob::run_remote, &GroupJob::drop, g), function(std::forward<G>(f)) {
      this->run_here = [](GroupNode* node) noexcept {
        auto* self = static_cast<GroupJob*>(node);
        self->execute();
        detail::end_job(self);
      };
    }
    void execute() noexcept {
      if (this->owner.scope_.cancelled()) return;
      try {
        std::invoke(function);
      } catch (...) {
        this->owner.scope_.fail();
      }
    }
    static void run_remote(detail::Job* job) noexcept {
      auto* self = static_cast<GroupJob*>(job);
      task_group& group = self->owner;
      detail::begin_awaited(*self);
      {
        detail::WithScope within(&group.scope_);
        self->execute();
      }
      detail::end_awaited(*self, reinterpret_cast<const void*>(&GroupJob::run_remote));
      detail::end_job(self);
      group.count_.remove(true);
    }
    static void drop(detail::AwaitedJob* job, detail::Drop step) noexcept {
      auto* self = static_cast<GroupJob*>(job);
      if (step == detail::Drop::release) return detail::end_job(self);
      try {
        std::rethrow_exception(detail::dropped_error());
      } catch (...) {
        self->owner.scope_.fail();
      }
      self->owner.count_.remove(false);
    }
    F function;
  };

  template <class Spawned>
  void submit_from_outside(Spawned& node) {
    count_.add();
    try {
      detail::submit(node);
    } catch (...) {
      detail::end_job(&node);
      count_.remove(false);
      throw;
    }
  }
  void finish();
  void take_back_own();
  const detail::CancelScope* enclosing_scope() const noexcept {
    const detail::WorkerBase* worker = detail::this_worker();
    return worker != nullptr && detail::on_this_stack(worker, this) ? worker->scope : nullptr;
  }

  detail::GroupCount count_;
  detail::FailScope scope_;
};

inline void task_group::wait() {
  finish();
  scope_.finish();
}

inline void task_group::finish() {
  detail::with_stack_room(detail::this_worker(), [this] { take_back_own(); });
  count_.wait({detail::Wait::group, this});
}

/// Runs the group's tasks that lie on top of this worker's deque. They may suspend the waiter, which may then continue
/// on another worker; its deque is then looked at.
inline void task_group::take_back_own() {
  if (detail::this_worker() == nullptr) return;
  struct Count {  // counts consecutive tasks of the same kind
    detail::Job::Run kind = nullptr;
    std::int64_t tasks = 0;
    ~Count() { flush(); }
    void flush() noexcept {
      if (tasks > 0) detail::count_work(reinterpret_cast<const void*>(kind), std::exchange(tasks, 0));
    }
  } done;
  detail::WithScope within(&scope_);
  while (detail::WorkerBase* worker = detail::this_worker()) {
    worker->deque.answer();
    if (worker->deque.empty()) return;
    const auto [job, flat, lost] = worker->deque.pop_any();
    if (job == nullptr) return;
    auto* node = static_cast<GroupNode*>(job);  // valid if it is flat: only jobs of groups are
    if (!flat || &node->owner != this) {        // a job of another group, which will look for it here
      if (worker->deque.push(job, flat) == detail::Deque::full) job->run(job);
      return;
    }
    bool home = detail::on_this_stack(worker, this);
    if (node->run != done.kind) {
      done.flush();
      done.kind = node->run;
    }
    node->run_here(node);
    if (++done.tasks == 256) done.flush();
    if (home)
      count_.remove_at_home();
    else
      count_.remove(false);
  }
}

}  // namespace charm
