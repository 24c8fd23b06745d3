// The tasks of abss.h: who has added them, when they have ended, and how they come to the workers.
//
// - It ends after what it has added: a task ends when its function has returned and all tasks that it has added have
//   ended. It then lowers the count of its tag in the branch of the task that has added it, and releases that task.
//   `holds` counts what a task still waits for: its function, and each task that it has added.
// - Counted before seen: a task is counted before a worker can see it, so that no count falls to 0 while tasks are on
//   their way.
// - No stack waits for the end of a branch, except in a barrier: the last task to end also ends the task that has added
//   it, and so on upwards.
// - Its ticket may come later: the end of a task does not wait for its ticket, which may be run later and for another
//   task (chiplet_queues.hpp); otherwise a barrier would wait for a task that it has nothing to do with. `users` counts
//   the users of the memory: the task until its end, and the ticket until it has taken a task.
// Source: ABSS §3.4, §3.5, corrected: the printed algorithms count a batch's queue once, hand a task over and queue it
// as well, and read the idle state outside of the lock.
#pragma once

#include <charm/abss.h>
#include <charm/detail/group_count.hpp>
#include <charm/detail/job.hpp>
#include <charm/mutex.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include "task_dag/chiplet_queues.hpp"

namespace charm::sched {
class Runtime;
}

namespace charm::task_dag {

struct AbssTask;

struct AbssTaskList {
  AbssTask* first = nullptr;
  AbssTask* last = nullptr;
  std::int64_t count = 0;
  void append(AbssTask& task) noexcept;
  void append(AbssTaskList tasks) noexcept;
  AbssTaskList take(std::int64_t most) noexcept;
};

/// The tasks of one tag that one task, or the threads outside, have added.
struct AbssTag {
  detail::GroupCount running;
  charm::mutex waiting;  // one waits for `running` at a time
  // Under the branch's mutex:
  int waiters = 0;
  AbssTaskList gathered;     // of the batch
  std::exception_ptr error;  // the first that has left one of them
};

/// What a task, or the threads outside, have added. A tag exists from its first task until a barrier has found that all
/// have ended, so that a program may use a new tag for every call.
class AbssBranch {
 public:
  /// Counts a task that will be added. \throws std::bad_alloc.
  AbssTag& enter(int tag);
  void gather(AbssTag& tag, AbssTask& task) noexcept;
  void fail(AbssTag& tag, std::exception_ptr error) noexcept;
  /// The tasks that were gathered for a tag, or for any one.
  AbssTaskList take_gathered(AbssTag& tag) noexcept;
  AbssTaskList take_any_gathered() noexcept;
  std::exception_ptr take_any_error() noexcept;
  /// Waits for all tasks of a tag. `flush` is called with what was gathered. \return the first error of them.
  template <class F>
  std::exception_ptr wait(int tag, F&& flush);
  /// A tag with tasks that have not ended.
  [[nodiscard]] std::optional<int> any_running() noexcept;

 private:
  std::mutex mutex_;
  std::unordered_map<int, std::unique_ptr<AbssTag>> tags_;
  std::atomic<bool> used_{false};
};

class AbssModule {
 public:
  /// \param queues whether streams use the queues of chiplets.
  AbssModule(sched::Runtime& runtime, bool queues);

  /// \throws Error (not_running), std::bad_alloc; then nothing was added.
  /// \param kind by which it is timed; 0: it is not.
  void add(ABSS_Function function, void* params, int tag, ABSS_Schedule schedule, std::uint16_t kind);
  /// \throws what has left a task.
  void barrier(int tag);
  /// Everything that was added has ended afterwards. Outside of tasks.
  void end(bool drop) noexcept;
  /// The schedule of the calling task; ABSS_STREAM outside of tasks.
  [[nodiscard]] static ABSS_Schedule inherited() noexcept;

 private:
  friend struct AbssTask;
  struct Part;
  void stream(AbssTask& task);
  void flush(AbssTaskList tasks) noexcept;
  /// Divides a batch among the idle workers near this one. \return the first share, which this worker is to run.
  AbssTaskList share_out(AbssTaskList tasks) noexcept;
  /// Runs a task. \return its batches' shares that this worker is to run next.
  AbssTaskList run(AbssTask& task) noexcept;
  static void run_all(AbssTaskList tasks) noexcept;
  static void release(AbssTask* task) noexcept;
  static void forget(AbssTask* task) noexcept;
  static void run_ticket(detail::Job* job) noexcept;
  static void run_job(detail::Job* job) noexcept;

  sched::Runtime& runtime_;
  std::unique_ptr<ChipletQueues> queues_;  // null: streams go to the workers' own deques
  AbssBranch outside_;
  std::atomic<unsigned> next_group_{0};  // of tasks from outside, in turn
  std::atomic<bool> dropping_{false};
};

template <class F>
std::exception_ptr AbssBranch::wait(int tag, F&& flush) {
  AbssTag* entry;
  {
    const std::lock_guard lock(mutex_);
    const auto known = tags_.find(tag);
    if (known == tags_.end()) return nullptr;
    entry = known->second.get();
    ++entry->waiters;
  }
  flush(take_gathered(*entry));
  entry->waiting.lock();
  entry->running.wait({detail::Wait::group, entry});
  entry->waiting.unlock();
  const std::lock_guard lock(mutex_);
  std::exception_ptr error = std::exchange(entry->error, nullptr);
  if (--entry->waiters == 0 && entry->running.none() && entry->gathered.count == 0) tags_.erase(tag);
  return error;
}

}  // namespace charm::task_dag
