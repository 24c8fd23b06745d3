// Statistics of the runtime: counts for each worker since init().
#pragma once

#include <charm/decision.hpp>
#include <charm/id_set.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace charm {

/// What one worker has done since init().
struct WorkerStats {
  std::uint64_t jobs = 0;            ///< jobs run by the scheduler; forks that their own worker takes back do not count
  std::uint64_t steals_chiplet = 0;  ///< jobs stolen from a worker of the same chiplet
  std::uint64_t steals_node = 0;     ///< jobs stolen from another chiplet of the same NUMA node
  std::uint64_t steals_far = 0;      ///< jobs stolen from another node
  std::uint64_t lost_races = 0;      ///< thefts that another thief won
  std::uint64_t suspensions = 0;     ///< tasks that waited, so that the worker ran others
  std::uint64_t exposures = 0;   ///< times it exposed the jobs of a worker that did not answer (docs/design/runtime.md)
  std::uint64_t parks = 0;       ///< times the worker went to sleep
  std::uint64_t wakes = 0;       ///< times it was woken by another thread
  std::uint64_t migrations = 0;  ///< tasks that it continued after they had waited on another worker
  std::uint64_t busy_ns = 0;     ///< nanoseconds in which it ran jobs, and checked its own queues between them
  std::uint64_t searching_ns = 0;  ///< nanoseconds in which it searched for work elsewhere
  std::uint64_t parked_ns = 0;     ///< nanoseconds in which it slept, or no thread worked as worker 0

  /// Share of its time in which the worker had nothing to run, 0 to 1.
  [[nodiscard]] double idle_share() const noexcept {
    const double idle = static_cast<double>(searching_ns) + static_cast<double>(parked_ns);
    const double all = idle + static_cast<double>(busy_ns);
    return all > 0 ? idle / all : 0;
  }
};

/// The task stacks whose memory lies on one NUMA node.
struct StackPoolStats {
  int node = -1;             ///< id in Machine::nodes; -1: stacks of workers that are not placed
  std::uint64_t stacks = 0;  ///< number of stacks that exist
  std::uint64_t idle = 0;    ///< number of these in the pool, not in use and not kept by a worker
  std::uint64_t most = 0;    ///< largest number that existed at a time
  std::uint64_t made = 0;    ///< number that were ever made
  std::uint64_t bytes = 0;   ///< address space of the stacks; only touched pages cost memory
};

/// One kind of work: a task function or a loop body. The controller weighs work by these if there are no hardware
/// counters and the program counts no work itself (add_work).
struct TaskTypeStats {
  std::string name;         ///< name of the function, if the dynamic linker knows it; else program+offset
  double count = 0;         ///< tasks or iterations done, up to each worker's last reading of the clock
  double seconds_each = 0;  ///< seconds that one takes, as measured when it was first seen; 0 until then
};

/// What all workers did, and the state of the runtime.
struct Stats {
  std::vector<WorkerStats> workers;         ///< by worker
  std::uint64_t stacks = 0;                 ///< number of task stacks that exist
  std::vector<StackPoolStats> stack_pools;  ///< the same by node
  std::uint64_t blocking_threads = 0;       ///< threads that were made for charm::blocking
  bool oversubscribed = false;              ///< the workers do not have their cpus to themselves; `notices` says why
  std::uint64_t fibers = 0;                 ///< tasks that are suspended; while workers run, an approximation
  std::vector<std::string> notices;         ///< degraded modes, each as it was reported
  std::string policy;                       ///< the policy in force, with the parameters that are not default
  int running_workers = 0;  ///< workers that do not rest: have a cpu, and are not kept from work by the setting width
  bool adapts = false;      ///< whether a controller may move workers: not if only one level is possible
  int cpu_changes = 0;      ///< how often the cpus that the process may use changed
  CpuSet allowed_cpus;      ///< cpus that the process may use now; empty where the machine is not this one
  std::vector<Decision> decisions;          ///< as charm::decisions()
  std::vector<TaskTypeStats> task_types;    ///< by total time, most first; at most 64; empty where nothing adapts
  [[nodiscard]] WorkerStats total() const;  ///< the sum over all workers
};

/// The counts since init() and the present state. May be called from any thread while tasks run; counts of workers that
/// run are a moment old. \throws Error (not_running).
[[nodiscard]] Stats stats();

}  // namespace charm
