#include "task_dag/abss_tasks.hpp"

#include <charm/detail/cancel_scope.hpp>
#include <charm/detail/job_memory.hpp>
#include <charm/detail/loop.hpp>
#include <charm/detail/scheduler.hpp>
#include <charm/detail/stack_room.hpp>
#include <charm/runtime.hpp>
#include <charm/task_local.hpp>

#include <algorithm>
#include <optional>
#include <utility>

#include "sched/run/runtime.hpp"
#include "sched/run/visit.hpp"
#include "sched/run/worker.hpp"
#include "task_dag/costs.hpp"
#include "task_dag/idle_workers.hpp"

namespace charm::task_dag {

using detail::Job;
using detail::ListedJob;
using sched::Worker;

/// The job is the task's ticket, where there are queues; else it runs the task itself.
struct AbssTask : ListedJob {
  struct Queued : ListedJob {
    explicit Queued(AbssTask& t) noexcept : ListedJob(nullptr), task(&t) {}
    AbssTask* task;
  };
  AbssTask(AbssModule& m, ABSS_Function f, void* p, AbssTask* by, AbssTag& t, ABSS_Schedule s, std::uint16_t k) noexcept
      : ListedJob(&AbssModule::run_job),
        module(&m),
        function(f),
        params(p),
        parent(by),
        tag(&t),
        schedule(s),
        kind(k) {}
  AbssModule* module;
  ABSS_Function function;
  void* params;
  AbssTask* parent;  // null: a thread outside
  AbssTag* tag;      // of the parent's branch
  ABSS_Schedule schedule;
  std::uint16_t kind;
  int home = -1;                  // the worker whose pool the block is from
  std::atomic<int> holds{1};      // it ends after what it has added
  std::atomic<int> users{1};      // its ticket may come later
  AbssTask* following = nullptr;  // in a batch
  Queued queued{*this};
  std::exception_ptr error;  // that has left the function
  AbssBranch branch;
};

namespace {

constinit charm::task_local<AbssTask*> present;

}  // namespace

void AbssTaskList::append(AbssTask& task) noexcept {
  (first == nullptr ? first : last->following) = &task;
  last = &task;
  ++count;
}

void AbssTaskList::append(AbssTaskList tasks) noexcept {
  if (tasks.first == nullptr) return;
  (first == nullptr ? first : last->following) = tasks.first;
  last = tasks.last;
  count += tasks.count;
}

AbssTaskList AbssTaskList::take(std::int64_t most) noexcept {
  AbssTaskList part{first, first, 1};
  for (; part.count < most; ++part.count) part.last = part.last->following;
  first = part.last->following;
  count -= part.count;
  part.last->following = nullptr;
  return part;
}

AbssTag& AbssBranch::enter(int tag) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<AbssTag>& entry = tags_[tag];
  if (entry == nullptr) entry = std::make_unique<AbssTag>();
  used_.store(true, std::memory_order_relaxed);
  entry->running.add();
  return *entry;
}

void AbssBranch::gather(AbssTag& tag, AbssTask& task) noexcept {
  const std::lock_guard lock(mutex_);
  tag.gathered.append(task);
}

void AbssBranch::fail(AbssTag& tag, std::exception_ptr error) noexcept {
  const std::lock_guard lock(mutex_);
  if (!tag.error) tag.error = std::move(error);
}

AbssTaskList AbssBranch::take_gathered(AbssTag& tag) noexcept {
  const std::lock_guard lock(mutex_);
  return std::exchange(tag.gathered, {});
}

AbssTaskList AbssBranch::take_any_gathered() noexcept {
  if (!used_.load(std::memory_order_relaxed)) return {};
  const std::lock_guard lock(mutex_);
  for (const auto& [tag, entry] : tags_) {
    if (entry->gathered.count > 0) return std::exchange(entry->gathered, {});
  }
  return {};
}

std::exception_ptr AbssBranch::take_any_error() noexcept {
  if (!used_.load(std::memory_order_relaxed)) return nullptr;
  const std::lock_guard lock(mutex_);
  for (const auto& [tag, entry] : tags_) {
    if (entry->error) return std::exchange(entry->error, nullptr);
  }
  return nullptr;
}

std::optional<int> AbssBranch::any_running() noexcept {
  const std::lock_guard lock(mutex_);
  for (const auto& [tag, entry] : tags_) {
    if (!entry->running.none()) return tag;
  }
  return std::nullopt;
}

AbssModule::AbssModule(sched::Runtime& runtime, bool queues) : runtime_(runtime) {
  if (queues) queues_ = std::make_unique<ChipletQueues>(runtime.places.groups.size());
}

ABSS_Schedule AbssModule::inherited() noexcept { return *present != nullptr ? (*present)->schedule : ABSS_STREAM; }

void AbssModule::add(ABSS_Function function, void* params, int tag, ABSS_Schedule schedule, std::uint16_t kind) {
  AbssTask* parent = *present;
  AbssBranch& branch = parent != nullptr ? parent->branch : outside_;
  AbssTag& entry = branch.enter(tag);  // counted before seen
  AbssTask* task = nullptr;
  try {
    task = detail::make_job<AbssTask>(detail::this_worker(), *this, function, params, parent, entry, schedule, kind);
  } catch (...) {
    entry.running.remove(false);
    throw;
  }
  if (parent != nullptr) parent->holds.fetch_add(1, std::memory_order_relaxed);
  if (schedule == ABSS_BATCH) return branch.gather(entry, *task);
  try {
    stream(*task);
  } catch (...) {  // the runtime is being ended
    detail::end_job(task);
    if (parent != nullptr) parent->holds.fetch_sub(1, std::memory_order_relaxed);
    entry.running.remove(false);
    throw;
  }
}

void AbssModule::stream(AbssTask& task) {
  if (queues_ == nullptr) return detail::submit(task);
  const Worker* here = sched::this_worker();
  const bool inside = here != nullptr && here->runtime == &runtime_;
  // The ticket may run, and ABSS_finalize() begin, while a thread outside is still waking a worker for it.
  std::optional<sched::Visit> visit;
  if (!inside) visit.emplace();
  task.run = &AbssModule::run_ticket;
  task.users.store(2, std::memory_order_relaxed);
  const auto groups = static_cast<unsigned>(queues_->groups());
  const int group =
      inside ? here->place().group : static_cast<int>(next_group_.fetch_add(1, std::memory_order_relaxed) % groups);
  queues_->push(group, task.queued);
  if (inside) return detail::submit(task);
  runtime_.post_near(runtime_.places.group(group).chiplet, &task);
}

void AbssModule::run_ticket(Job* job) noexcept {
  auto* ticket = static_cast<AbssTask*>(job);
  AbssModule& module = *ticket->module;
  const int group = sched::this_worker()->place().group;
  ListedJob* queued = nullptr;
  while (queued == nullptr)  // another ticket's task may have come to a queue that this has looked at already
    queued = module.queues_->take(group, module.runtime_.places.distances.by_distance(group));
  forget(ticket);
  run_all(module.run(*static_cast<AbssTask::Queued*>(queued)->task));
}

void AbssModule::run_job(Job* job) noexcept {
  auto* task = static_cast<AbssTask*>(job);
  run_all(task->module->run(*task));
}

AbssTaskList AbssModule::run(AbssTask& task) noexcept {
  AbssTaskList own;
  if (!dropping_.load(std::memory_order_relaxed)) {
    try {
      present.with(&task, [&task] {
        if (task.kind == 0) return task.function(task.params);
        const Timed timed(task.kind, &task);
        task.function(task.params);
      });
    } catch (...) {
      task.error = std::current_exception();
    }
    detail::count_work(reinterpret_cast<const void*>(task.function), 1);
    for (AbssTaskList batch = task.branch.take_any_gathered(); batch.count > 0; batch = task.branch.take_any_gathered())
      own.append(share_out(batch));
  }
  release(&task);
  return own;
}

/// Frees the memory if nobody else uses it (its ticket may come later).
void AbssModule::forget(AbssTask* task) noexcept {
  if (task->users.fetch_sub(1, std::memory_order_acq_rel) == 1) detail::end_job(task);
}

/// Lowers what the task waits for, and ends it if that was all; then what has added it, and so on (it ends after what
/// it has added).
void AbssModule::release(AbssTask* task) noexcept {
  while (task != nullptr && task->holds.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    if (!task->error) task->error = task->branch.take_any_error();  // that no barrier has returned
    AbssTask* parent = task->parent;
    AbssTag& tag = *task->tag;
    if (task->error) (parent != nullptr ? parent->branch : task->module->outside_).fail(tag, task->error);
    forget(task);
    tag.running.remove(false);
    task = parent;
  }
}

/// What a task has gathered comes after it and not within it, so that a chain of tasks that each add the next one, of
/// whatever length, needs no more stack than one of them.
void AbssModule::run_all(AbssTaskList tasks) noexcept {
  while (tasks.first != nullptr) {
    AbssTask& task = *tasks.take(1).first;
    AbssTaskList next = task.module->run(task);  // after the last task of all, the module may be gone
    next.append(tasks);
    tasks = next;
  }
}

/// A share of a batch, for one worker; or, without a worker yet, a whole batch.
struct AbssModule::Part : ListedJob {
  Part(AbssModule& m, AbssTaskList t, bool all) noexcept : ListedJob(&Part::start), module(&m), tasks(t), whole(all) {}
  static void start(Job* job) noexcept {
    auto* self = static_cast<Part*>(job);
    AbssModule& module = *self->module;
    const AbssTaskList tasks = self->tasks;
    const bool whole = self->whole;
    detail::end_job(self);
    if (whole) return run_all(module.share_out(tasks));
    sched::this_worker()->reserved.store(false, std::memory_order_release);
    run_all(tasks);
  }
  AbssModule* module;
  AbssTaskList tasks;
  bool whole;
  int home = -1;
};

AbssTaskList AbssModule::share_out(AbssTaskList tasks) noexcept {
  const std::int64_t count = tasks.count;
  std::vector<Worker*> idle;
  const Worker& here = *sched::this_worker();
  try {
    idle.reserve(runtime_.workers.size());
    if (count > 1 && here.runtime == &runtime_)
      reserve_idle_workers(runtime_, here, static_cast<std::size_t>(count - 1), idle);
  } catch (const std::bad_alloc&) {  // this worker runs all
  }
  const auto shares = static_cast<std::int64_t>(idle.size()) + 1;
  AbssTaskList own = tasks.take(detail::share_begin(count, 1, shares));
  for (std::int64_t share = 1; share < shares; ++share) {
    Worker& worker = *idle[static_cast<std::size_t>(share - 1)];
    const AbssTaskList part =
        tasks.take(detail::share_begin(count, share + 1, shares) - detail::share_begin(count, share, shares));
    Part* job = nullptr;
    try {
      job = detail::make_job<Part>(detail::this_worker(), *this, part, false);
    } catch (const std::bad_alloc&) {
      worker.reserved.store(false, std::memory_order_release);
      own.append(part);
      continue;
    }
    runtime_.post(worker, job);
  }
  return own;
}

void AbssModule::flush(AbssTaskList tasks) noexcept {
  if (tasks.count == 0) return;
  if (sched::this_worker() != nullptr)
    return detail::with_stack_room(detail::this_worker(), [&] { run_all(share_out(tasks)); });
  Part* job = nullptr;
  try {
    job = detail::make_job<Part>(nullptr, *this, tasks, true);
    detail::submit(*job);
  } catch (const std::bad_alloc&) {  // one after the other, as a task of this thread
    charm::run([tasks] { run_all(tasks); });
  }
}

void AbssModule::barrier(int tag) {
  AbssTask* task = *present;
  AbssBranch& branch = task != nullptr ? task->branch : outside_;
  if (std::exception_ptr error = branch.wait(tag, [this](AbssTaskList tasks) { flush(tasks); }))
    std::rethrow_exception(std::move(error));
}

void AbssModule::end(bool drop) noexcept {
  dropping_.store(drop, std::memory_order_relaxed);
  while (const std::optional<int> tag = outside_.any_running())
    outside_.wait(*tag, [this](AbssTaskList tasks) { flush(tasks); });
}

}  // namespace charm::task_dag
