// A group of tasks: spawn any number, wait for all.
#pragma once

#include <charm/detail/cancel_scope.hpp>
#include <charm/detail/scheduler.hpp>
#include <charm/detail/worker.hpp>
#include <charm/runtime.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

namespace charm {
namespace detail {

/// Runs `function(argument)` on a fresh stack in the name of the current task.
void continue_on_new_stack(void (*function)(void*) noexcept, void* argument);

/// Calls `f`; on a fresh stack where this one is nearly used up. Groups within groups recurse as forks do.
template <class F>
[[gnu::always_inline]] inline void with_stack_room(const WorkerCore* worker, F&& f) noexcept {
  if (worker == nullptr || stack_here() >= worker->stack_limit) [[likely]]
    return f();
  continue_on_new_stack([](void* function) noexcept { (*static_cast<std::remove_reference_t<F>*>(function))(); }, &f);
}

}  // namespace detail

/// Tasks spawned by run() and awaited by wait(). run() may be called from any task, also from the group's own; wait()
/// from one task at a time. A spawned task may run at once on the caller's stack when the worker's deque is full, so it
/// must not wait for something that its spawner does later.
///
/// The first exception that leaves a task cancels the group and is rethrown by wait(). A cancelled group still counts
/// its tasks, but those that have not started do not run, and loops that its tasks run stop early.
///
/// A group that is a local variable of a task belongs to the group (or loop) of that task: when that is cancelled, this
/// one is, too. A group that lives elsewhere, say on the heap, stands for itself.
class task_group {
 public:
  task_group() noexcept : scope_(enclosing_scope()) {}
  task_group(const task_group&) = delete;
  task_group& operator=(const task_group&) = delete;
  /// Cancels and waits; an exception that nobody has asked for is dropped.
  ~task_group() {
    if (home_ == 0 && remote_.load(std::memory_order_acquire) == bias) return;
    cancel();
    finish();
  }

  /// Starts `function()` as a task of the group. \throws Error (not_running).
  template <class F>
  void run(F&& function) {
    using Spawned = GroupJob<std::decay_t<F>>;
    detail::WorkerCore* worker = detail::this_worker();
    if (worker == nullptr) {
      remote_.fetch_add(1, std::memory_order_relaxed);
      detail::submit(*new (detail::JobPool::take_outside(sizeof(Spawned))) Spawned(*this, std::forward<F>(function)));
      return;
    }
    auto* node = new (worker->pool.take(sizeof(Spawned))) Spawned(*this, std::forward<F>(function));
    node->home = worker->id;
    // The frame that the group lives in is the spawner's own: it counts without an atomic (see home_).
    bool home = detail::on_this_stack(worker, this);
    if (home)
      ++home_;
    else
      remote_.fetch_add(1, std::memory_order_relaxed);
    if (worker->deque.push(node, true) == detail::Deque::full) [[unlikely]] {
      detail::with_stack_room(worker, [this, node] {
        detail::WithScope within(&scope_);
        node->run_here(node);
      });
      if (home)
        --home_;
      else
        remote_.fetch_sub(1, std::memory_order_relaxed);  // not to 0: the task that spawned it is counted itself
    }
  }

  /// Returns when all tasks are done; rethrows the first exception. After cancel() it returns normally. The group can
  /// be used again afterwards. \throws Error (cancelled) where a group that this one belongs to was cancelled.
  void wait();

  /// Tasks that have not started will not run, here and in the groups and loops that belong to this group; running ones
  /// may ask is_canceled(), or charm::is_cancelled() where they do not know the group. Lasts until wait() returns.
  void cancel() noexcept { scope_.cancel(); }
  /// Whether this group, or one that it belongs to, was cancelled.
  [[nodiscard]] bool is_canceled() const noexcept { return scope_.cancelled(); }
  /// The same.
  [[nodiscard]] bool is_cancelled() const noexcept { return is_canceled(); }

 private:
  struct GroupNode : detail::ListedJob {
    GroupNode(Run function, task_group& g) noexcept : ListedJob(function), owner(g) {}
    task_group& owner;
    int home = -1;                                    // the worker whose pool the block is from
    void (*run_here)(GroupNode*) noexcept = nullptr;  // for the waiter, which counts by itself
  };
  template <class F>
  struct GroupJob : GroupNode {
    template <class G>
    GroupJob(task_group& g, G&& f) : GroupNode(&GroupJob::run_remote, g), function(std::forward<G>(f)) {
      this->run_here = [](GroupNode* node) noexcept {
        auto* self = static_cast<GroupJob*>(node);
        self->execute();
        self->recycle();
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
    void recycle() noexcept {
      const int from = this->home;
      this->~GroupJob();
      detail::give_job_memory(this, sizeof(GroupJob), from);
    }
    static void run_remote(detail::Job* job) noexcept {
      auto* self = static_cast<GroupJob*>(job);
      task_group& group = self->owner;
      {
        detail::WithScope within(&group.scope_);
        self->execute();
      }
      detail::count_work(reinterpret_cast<const void*>(&GroupJob::run_remote), 1);
      self->recycle();
      group.finished_elsewhere();
    }
    F function;
  };

  // Tasks not yet done: home_ + (remote_ - bias). home_ is plain. It is touched by code that runs on the very stack
  // that the group lives on, in frames below the group's own (run, and the tasks that wait() takes back); so by one
  // thread of control, which moves between workers only by suspending. All others count in remote_. The bias keeps
  // remote_ away from 0 until wait() folds home_ in and so asks for the end to be told.
  static constexpr std::int64_t bias = std::int64_t{1} << 40;

  void finish();
  void take_back_own();
  const detail::CancelScope* enclosing_scope() const noexcept {
    const detail::WorkerCore* worker = detail::this_worker();
    return worker != nullptr && detail::on_this_stack(worker, this) ? worker->scope : nullptr;
  }
  void finished_elsewhere() noexcept {
    if (remote_.fetch_sub(1, std::memory_order_acq_rel) == 1) all_done_->complete(true);
  }

  std::int64_t home_ = 0;
  std::atomic<std::int64_t> remote_{bias};
  detail::Completion* all_done_ = nullptr;
  detail::FailScope scope_;
};

inline void task_group::wait() {
  finish();
  scope_.finish();
}

inline void task_group::finish() {
  detail::with_stack_room(detail::this_worker(), [this] { take_back_own(); });
  if (home_ == 0 && remote_.load(std::memory_order_acquire) == bias) return;  // all were taken back
  detail::Completion all_done;
  all_done_ = &all_done;
  std::int64_t change = std::exchange(home_, 0) - bias;
  if (remote_.fetch_add(change, std::memory_order_acq_rel) + change != 0) all_done.wait({detail::Wait::group, this});
  remote_.store(bias, std::memory_order_relaxed);
}

/// Runs those of the group's tasks that lie on top of this worker's deque. They may suspend the waiter, and with it
/// move it to another worker, whose deque is then looked at.
inline void task_group::take_back_own() {
  if (detail::this_worker() == nullptr) return;
  struct Count {  // of tasks of the same kind in a row
    detail::Job::Run kind = nullptr;
    std::int64_t tasks = 0;
    ~Count() { flush(); }
    void flush() noexcept {
      if (tasks > 0) detail::count_work(reinterpret_cast<const void*>(kind), std::exchange(tasks, 0));
    }
  } done;
  detail::WithScope within(&scope_);
  while (detail::WorkerCore* worker = detail::this_worker()) {
    bool flat = false;
    worker->deque.answer();
    detail::Job* job = worker->deque.empty() ? nullptr : worker->deque.pop_any(flat);
    if (job == nullptr) return;
    auto* node = static_cast<GroupNode*>(job);  // if it is flat: jobs of groups alone are
    if (!flat || &node->owner != this) {        // somebody else's, who will look for it here
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
      --home_;
    else
      remote_.fetch_sub(1, std::memory_order_relaxed);
  }
}

}  // namespace charm
