// A queue of tasks for each chiplet, which its workers share: the core cluster's queue of ABSS §3.4.
//
// The scheduler knows nothing of these queues. For every task that is queued, a job (its ticket) is submitted to the
// scheduler like any other: it wakes a sleeper nearby, and thieves take it by distance. The worker that runs a ticket
// takes one task: from its own chiplet's queue, else from the nearest one that has a task. There are never more tickets
// than tasks, so every ticket finds a task, no task is left over, and no worker sleeps while there is one (in the
// paper's Algorithm 3.2 a worker steals once and sleeps).
#pragma once

#include <charm/detail/job.hpp>

#include <memory>
#include <span>
#include <vector>

#include "sched/run/ready_queue.hpp"

namespace charm::task_dag {

class ChipletQueues {
 public:
  explicit ChipletQueues(std::size_t groups) {
    for (std::size_t i = 0; i < groups; ++i) queues_.push_back(std::make_unique<sched::LockedQueue>());
  }
  void push(int group, detail::ListedJob& task) noexcept { queues_[static_cast<std::size_t>(group)]->push(&task); }

  /// The oldest task of the group's queue, else of the next one that has any. \param others the other groups, nearest
  /// first. \return null if all were empty, each when it was looked at.
  detail::ListedJob* take(int group, std::span<const int> others) noexcept {
    detail::ListedJob* task = queues_[static_cast<std::size_t>(group)]->pop();
    for (std::size_t i = 0; task == nullptr && i < others.size(); ++i)
      task = queues_[static_cast<std::size_t>(others[i])]->pop();
    return task;
  }
  [[nodiscard]] std::size_t groups() const noexcept { return queues_.size(); }

 private:
  std::vector<std::unique_ptr<sched::LockedQueue>> queues_;
};

}  // namespace charm::task_dag
