// Statistics of the runtime: counts for each worker since init().
#pragma once

#include <charm/decision.hpp>
#include <charm/id_set.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace charm {

/// What one worker did.
struct WorkerStats {
  std::uint64_t jobs = 0;            ///< jobs taken by the scheduler; a fork that its own worker takes back is a call
  std::uint64_t steals_chiplet = 0;  ///< stolen from a worker of the same chiplet
  std::uint64_t steals_node = 0;     ///< from another chiplet of the same NUMA node
  std::uint64_t steals_far = 0;      ///< from another node
  std::uint64_t lost_races = 0;      ///< thefts that another thief won
  std::uint64_t suspensions = 0;     ///< tasks that waited and gave the worker to others
  std::uint64_t exposures = 0;       ///< jobs taken from a worker that did not answer, by a heavy barrier
  std::uint64_t parks = 0;           ///< times the worker went to sleep
  std::uint64_t wakes = 0;           ///< times it was woken by another thread
  std::uint64_t migrations = 0;      ///< tasks that went on here after they had waited on another worker
  std::uint64_t busy_ns = 0;         ///< nanoseconds it ran jobs, and checked its own queues between them
  std::uint64_t searching_ns = 0;    ///< nanoseconds it searched for work elsewhere
  std::uint64_t parked_ns = 0;       ///< nanoseconds it slept; of worker 0 also those that nobody was in the runtime

  /// Share of its time that the worker had nothing to run, 0 to 1.
  [[nodiscard]] double idle_share() const noexcept {
    const double idle = static_cast<double>(searching_ns) + static_cast<double>(parked_ns);
    const double all = idle + static_cast<double>(busy_ns);
    return all > 0 ? idle / all : 0;
  }
};

/// The task stacks whose memory lies on one NUMA node.
struct StackPoolStats {
  int node = -1;             ///< -1: of workers that are not placed
  std::uint64_t stacks = 0;  ///< that exist
  std::uint64_t idle = 0;    ///< of these, kept for the next task beyond what workers keep
  std::uint64_t most = 0;    ///< that existed at a time
  std::uint64_t made = 0;    ///< ever
  std::uint64_t bytes = 0;   ///< of address space; touched pages only cost memory
};

/// One kind of work: a task function or a loop body. The controller weighs work by these if there are no hardware
/// counters and the program counts nothing itself.
struct TaskTypeStats {
  std::string name;         ///< of the function, where the dynamic linker knows it; else program+offset
  double count = 0;         ///< tasks or iterations done, up to each worker's last reading of the clock
  double seconds_each = 0;  ///< as measured when it was first seen; 0 until then
};

/// What all workers did, and the state of the runtime.
struct Stats {
  std::vector<WorkerStats> workers;         ///< by worker
  std::uint64_t stacks = 0;                 ///< task stacks that exist
  std::vector<StackPoolStats> stack_pools;  ///< the same by node
  std::uint64_t blocking_threads = 0;       ///< made for charm::blocking
  bool oversubscribed = false;              ///< the workers do not have their cpus to themselves; `notices` tells why
  std::uint64_t fibers = 0;          ///< tasks that have suspended and not gone on yet; roughly, while workers run
  std::vector<std::string> notices;  ///< degraded modes, each as it was reported
  std::string policy;                ///< the policy in force, with the parameters that are not default
  bool adapts = false;               ///< whether a controller may move workers: not on one chiplet, nor if all is full
  int cpu_changes = 0;               ///< how often the cpus that the process may use changed
  CpuSet allowed_cpus;               ///< that it may use now; empty where the machine is not this one
  std::vector<Decision> decisions;   ///< as charm::decisions()
  std::vector<TaskTypeStats> task_types;    ///< by time, most first; at most 64, and none where nothing adapts
  [[nodiscard]] WorkerStats total() const;  ///< the sum over all workers
};

/// \throws Error (not_running).
[[nodiscard]] Stats stats();

}  // namespace charm
