#include "workloads/factor/dag_run.hpp"

#include <charm/error.hpp>

#include <atomic>
#include <cstddef>

#ifdef CHARM_WORKLOADS_CHARM
#include <charm/charm.hpp>
#include <charm/graph_selector.hpp>
#include <charm/task_graph.hpp>
#endif
#ifdef CHARM_WORKLOADS_OPENMP
#include <omp.h>
#endif
#ifdef CHARM_WORKLOADS_TBB
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#endif

namespace charm::workloads::factor {
namespace {

class SerialDagRun : public DagRun {
 public:
  explicit SerialDagRun(const TaskDag& dag) : dag_(dag) {}
  void run(TaskBody& body) override {
    for (Task t = 0; t < dag_.size(); ++t) body.run(t);
  }

 private:
  const TaskDag& dag_;
};

#ifdef CHARM_WORKLOADS_CHARM
class CharmDagRun : public DagRun {
 public:
  CharmDagRun(const TaskDag& dag, const std::vector<std::string>& kinds, const std::string& schedule)
      : graph_("factor"), nodes_(static_cast<std::size_t>(dag.size())) {
    std::vector<task_kind> known;
    known.reserve(kinds.size());
    for (const std::string& name : kinds) known.emplace_back("factor." + name);
    std::vector<graph_node> handles;
    handles.reserve(nodes_.size());
    for (Task t = 0; t < dag.size(); ++t) {
      Node& node = nodes_[static_cast<std::size_t>(t)];
      node = {this, t};
      handles.push_back(graph_.emplace([at = &node] { at->of->body_->run(at->task); }));
      handles.back().kind(known[static_cast<std::size_t>(dag.kind(t))]);
    }
    for (Task t = 0; t < dag.size(); ++t)
      dag.successors(t, [&](Task after) {
        handles[static_cast<std::size_t>(t)].precede(handles[static_cast<std::size_t>(after)]);
      });
    if (schedule == "batch")
      graph_.set_schedule(GraphSchedule::batch);
    else if (schedule != "stream")
      set_selector(graph_, GraphSelector::from(schedule));
  }
  void run(TaskBody& body) override {
    body_ = &body;
    charm::run([this] { graph_.run(); });
  }
  [[nodiscard]] std::string last_schedule() const override {
    return graph_.last_schedule() == GraphSchedule::batch ? "batch" : "stream";
  }

 private:
  struct Node {
    CharmDagRun* of = nullptr;
    Task task = 0;
  };
  task_graph graph_;
  std::vector<Node> nodes_;  // a node's function then has the size of a pointer, which the graph stores in the node
  TaskBody* body_ = nullptr;
};
#endif

/// What is left to wait for, for the runtimes that have no graphs.
class Countdown {
 public:
  explicit Countdown(const TaskDag& dag) : dag_(dag), left_(static_cast<std::size_t>(dag.size())) {
    for (Task t = 0; t < dag.size(); ++t)
      if (dag.predecessors(t) == 0) sources_.push_back(t);
  }
  void reset() {
    for (Task t = 0; t < dag_.size(); ++t)
      left_[static_cast<std::size_t>(t)].store(dag_.predecessors(t), std::memory_order_relaxed);
  }
  [[nodiscard]] const std::vector<Task>& sources() const { return sources_; }
  /// Runs a task and then, one after the other, a successor that it has made ready; spawn(task) gets the other ones.
  template <class S>
  void chain(Task task, TaskBody& body, S&& spawn) {
    while (task >= 0) {
      body.run(task);
      Task next = -1;
      dag_.successors(task, [&](Task after) {
        if (left_[static_cast<std::size_t>(after)].fetch_sub(1, std::memory_order_acq_rel) != 1) return;
        if (next < 0)
          next = after;
        else
          spawn(after);
      });
      task = next;
    }
  }

 private:
  const TaskDag& dag_;
  std::vector<std::atomic<std::int32_t>> left_;
  std::vector<Task> sources_;
};

#ifdef CHARM_WORKLOADS_OPENMP
class OpenmpDagRun : public DagRun {
 public:
  OpenmpDagRun(const TaskDag& dag, int workers)
      : countdown_(dag), workers_(workers > 0 ? workers : omp_get_max_threads()) {}
  void run(TaskBody& body) override {
    countdown_.reset();
    body_ = &body;
#pragma omp parallel num_threads(workers_)
#pragma omp single
    for (const Task task : countdown_.sources()) spawn(task);
  }

 private:
  void spawn(Task task) {
#pragma omp task firstprivate(task)
    countdown_.chain(task, *body_, [this](Task after) { spawn(after); });
  }

  Countdown countdown_;
  TaskBody* body_ = nullptr;
  int workers_;
};
#endif

#ifdef CHARM_WORKLOADS_TBB
class TbbDagRun : public DagRun {
 public:
  TbbDagRun(const TaskDag& dag, int workers)
      : countdown_(dag),
        workers_(workers > 0 ? workers : oneapi::tbb::this_task_arena::max_concurrency()),
        threads_(oneapi::tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(workers_)),
        arena_(workers_) {}
  void run(TaskBody& body) override {
    countdown_.reset();
    body_ = &body;
    arena_.execute([this] {
      oneapi::tbb::task_group group;
      group_ = &group;
      for (const Task task : countdown_.sources()) spawn(task);
      group.wait();
    });
  }

 private:
  void spawn(Task task) {
    group_->run([this, task] { countdown_.chain(task, *body_, [this](Task after) { spawn(after); }); });
  }

  Countdown countdown_;
  TaskBody* body_ = nullptr;
  int workers_;
  oneapi::tbb::global_control threads_;
  oneapi::tbb::task_arena arena_;
  oneapi::tbb::task_group* group_ = nullptr;
};
#endif

}  // namespace

std::unique_ptr<DagRun> make_dag_run(const Runner& runner, const TaskDag& dag,
                                     [[maybe_unused]] const std::vector<std::string>& kinds,
                                     [[maybe_unused]] const std::string& schedule) {
  if (runner.runtime == "serial") return std::make_unique<SerialDagRun>(dag);
#ifdef CHARM_WORKLOADS_CHARM
  if (runner.runtime == "charm") return std::make_unique<CharmDagRun>(dag, kinds, schedule);
#endif
#ifdef CHARM_WORKLOADS_OPENMP
  if (runner.runtime == "openmp") return std::make_unique<OpenmpDagRun>(dag, runner.workers);
#endif
#ifdef CHARM_WORKLOADS_TBB
  if (runner.runtime == "tbb") return std::make_unique<TbbDagRun>(dag, runner.workers);
#endif
  std::string known;
  for (const std::string& name : runtimes()) known += (known.empty() ? "" : ", ") + name;
  throw Error(Errc::bad_config, "runtime '" + runner.runtime + "' is not one of this build's", "choose among " + known);
}

}  // namespace charm::workloads::factor
