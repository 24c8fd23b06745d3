// The task layer: workers with deques run a graph of tasks, steal in the runtime's own order (src/stealing), park
// when there is nothing to do, and are woken. Times are modelled: a probe and a stolen task cost transfers between the
// two cores' caches, thieves of one victim queue up, and waking costs as much as a futex call.
//
// Discrete events, one seed: the same graph gives the same times to the last bit.
#pragma once

#include <charm/placement.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "tools/sim/model.hpp"
#include "tools/sim/stealing.hpp"

namespace charm::sim {

/// A task: how long it runs, which task makes it and when, and what it waits for. Ids are indices; a parent comes
/// before its children.
struct Task {
  double run_ns = 0;
  int parent = -1;             // -1: there from the start
  double parent_after_ns = 0;  // how long the parent has run when it makes this one
  bool fork = false;           // the parent does not end before this one has ended
  int worker = -1;             // a call to that worker; -1: any worker
  struct Wait {
    double after_ns = 0;  // ns for which the task has run when it waits
    int by = -1;          // the task that ends the wait; -1: it is a yield
    double by_after_ns = 0;
  };
  std::vector<Wait> waits;  // ascending
};

struct TaskGraph {
  std::string name;
  std::vector<Task> tasks;
};

struct TaskRun {
  double makespan_ns = 0;
  double busy_ns = 0;  // sum over all workers
  std::uint64_t ran = 0, steals = 0, far_steals = 0, parks = 0, wakes = 0;
  /// Share of the workers' time that went into tasks.
  [[nodiscard]] double efficiency(std::size_t workers) const {
    return makespan_ns > 0 ? busy_ns / (makespan_ns * static_cast<double>(workers)) : 1;
  }
};

struct TaskOptions {
  std::vector<double> slowness;  // by worker: how much longer it takes over a task; empty: 1 for all
  double wake_ns = 1300;         // time of a futex wake-up (estimate)
  double spawn_ns = 5;           // making a task and taking it back (estimate)
  std::uint64_t seed = 1;
};

/// \throws Error (bad_input) if tasks wait for each other in a circle.
TaskRun run_tasks(const Model& model, const std::vector<WorkerCore>& worker_cores, const TaskGraph& graph,
                  const Stealing& stealing, const TaskOptions& options = {});

/// A loop of `count` equal tasks that worker 0 makes.
TaskGraph flat_loop(int count, double run_ns);

/// ns that a parallel step of `tasks` tasks takes beyond its share of running, until all workers have found work and
/// the last has ended.
double step_overhead_ns(const Model& model, const std::vector<WorkerCore>& worker_cores, double tasks, double run_ns,
                        const Stealing& stealing, std::uint64_t seed);

}  // namespace charm::sim
