#include "trace/graph.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace charm::trace {

namespace {

/// Follows the events in the order of time. Addresses of jobs and fibers are reused, so each stands for the latest
/// one that was recorded.
class Follower {
 public:
  explicit Follower(const Recording& recording) : recording_(recording) {}

  void follow(const WorkerEvent& record) {
    const Event& e = record.event;
    const double now = recording_.ns(e.at);
    switch (e.kind) {
      case Kind::spawn:
        made_[e.a] = {index_of(e.b), ran(e.b, now)};
        break;
      case Kind::begin:
        begin(e, record.worker, now);
        break;
      case Kind::end:
        if (Task* task = find(e.a)) {
          stop(*task, now);
          task->ended = true;
        }
        break;
      case Kind::suspend:
        if (Task* task = find(e.a)) {
          stop(*task, now);
          task->waits.push_back({task->ran, now, 0, 0, false});  // length: from when, until the wait is over
          waiting_[e.b] = e.a;
        }
        break;
      case Kind::ready:
        // Without a task it was a worker that found the time limit over, or a thread outside: there is no task to name.
        if (auto found = waiting_.find(e.b); found != waiting_.end() && e.c != 0) {
          Task* task = find(found->second);
          if (task != nullptr && !task->waits.empty()) {
            task->waits.back().by = index_of(e.c);
            task->waits.back().by_after = ran(e.c, now);
          }
        }
        break;
      case Kind::resume:
        if (Task* task = find(e.a)) {
          if (!task->waits.empty() && !task->waits.back().over) close(task->waits.back(), now);
          task->parts.push_back({record.worker, now, -1});
        }
        waiting_.erase(e.b);
        break;
      default:
        break;
    }
  }

  std::vector<Task> finish() {
    const double now = recording_.ns(recording_.now);
    for (Task& task : tasks_) {
      if (!task.parts.empty() && task.parts.back().to < 0) stop(task, now);
      if (!task.waits.empty() && !task.waits.back().over) task.waits.back().length = now - task.waits.back().length;
    }
    return std::move(tasks_);
  }

 private:
  struct Maker {
    std::uint64_t task;
    double after;
  };

  void begin(const Event& e, int worker, double now) {
    Task task;
    task.id = tasks_.size() + 1;
    task.function = e.c;
    if (auto found = made_.find(e.b); found != made_.end()) {
      task.parent = found->second.task;
      task.parent_after = found->second.after;
      task.edge = task.parent == 0 ? Task::Edge::root : Task::Edge::spawn;
      made_.erase(found);
    } else if (std::uint64_t parent = index_of(e.d); parent != 0) {
      task.parent = parent;
      task.parent_after = ran(e.d, now);
      task.edge = Task::Edge::fork;
    }
    task.parts.push_back({worker, now, -1});
    index_[e.a] = task.id;
    tasks_.push_back(std::move(task));
  }
  static void stop(Task& task, double now) {
    if (task.parts.empty() || task.parts.back().to >= 0) return;
    Part& part = task.parts.back();
    part.to = std::max(now, part.from);
    task.ran += part.to - part.from;
  }
  static void close(Wait& wait, double now) {
    wait.length = std::max(0.0, now - wait.length);
    wait.over = true;
  }
  [[nodiscard]] std::uint64_t index_of(std::uint64_t id) const {
    auto found = index_.find(id);
    return found == index_.end() ? 0 : found->second;
  }
  Task* find(std::uint64_t id) {
    std::uint64_t index = index_of(id);
    return index == 0 ? nullptr : &tasks_[index - 1];
  }
  double ran(std::uint64_t id, double now) {
    Task* task = find(id);
    if (task == nullptr) return 0;
    const Part& last = task->parts.back();
    return task->ran + (last.to < 0 ? std::max(0.0, now - last.from) : 0);
  }

  const Recording& recording_;
  std::vector<Task> tasks_;
  std::unordered_map<std::uint64_t, std::uint64_t> index_;    // a track's id of a task -> the graph's
  std::unordered_map<std::uint64_t, Maker> made_;             // job -> who made it
  std::unordered_map<std::uint64_t, std::uint64_t> waiting_;  // fiber -> task
};

}  // namespace

std::vector<Task> task_graph(Recording& recording) {
  // By time; what happened at the same tick stays in its worker's order.
  std::vector<std::pair<std::uint64_t, std::size_t>> order(recording.events.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = {recording.events[i].event.at, i};
  std::sort(order.begin(), order.end());
  std::vector<WorkerEvent> sorted;
  sorted.reserve(order.size());
  for (const auto& [at, i] : order) sorted.push_back(recording.events[i]);
  recording.events = std::move(sorted);
  Follower follower(recording);
  for (const WorkerEvent& record : recording.events) follower.follow(record);
  return follower.finish();
}

}  // namespace charm::trace
