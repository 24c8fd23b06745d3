// A graph of tasks as plain arrays, the same for every runtime that runs it. Invariant: a task's number is above those
// of its predecessors, so that the numbers are an order in which one thread can run them.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace charm::workloads::factor {

using Task = std::int32_t;

class TaskDag {
 public:
  /// \param kind index into the names that a DagRun is made with: tasks of one kind do about the same work.
  Task add(int kind);
  /// `after` runs when `before` has ended. \pre before < after, both were added.
  void edge(Task before, Task after) { edges_.emplace_back(before, after); }
  /// After the last edge. \throws Error (bad_input) if there are more tasks or edges than 2^31 - 1.
  void finish();

  [[nodiscard]] Task size() const { return static_cast<Task>(kinds_.size()); }
  [[nodiscard]] std::int64_t edges() const { return static_cast<std::int64_t>(successors_.size()); }
  [[nodiscard]] int kind(Task task) const { return kinds_[static_cast<std::size_t>(task)]; }
  [[nodiscard]] std::int32_t predecessors(Task task) const { return predecessors_[static_cast<std::size_t>(task)]; }
  /// Calls f with each successor.
  template <class F>
  void successors(Task task, F&& f) const {
    const auto first = static_cast<std::size_t>(starts_[static_cast<std::size_t>(task)]);
    const auto last = static_cast<std::size_t>(starts_[static_cast<std::size_t>(task) + 1]);
    for (std::size_t i = first; i < last; ++i) f(successors_[i]);
  }

 private:
  std::vector<std::uint8_t> kinds_;
  std::vector<std::pair<Task, Task>> edges_;  // until finish()
  std::vector<std::int64_t> starts_;
  std::vector<Task> successors_;
  std::vector<std::int32_t> predecessors_;
};

/// What the tasks do. A runtime may call it from all of its threads at the same time, and nothing may leave it.
class TaskBody {
 public:
  TaskBody() = default;
  TaskBody(const TaskBody&) = delete;
  TaskBody& operator=(const TaskBody&) = delete;
  virtual ~TaskBody() = default;
  virtual void run(Task task) noexcept = 0;
};

}  // namespace charm::workloads::factor
