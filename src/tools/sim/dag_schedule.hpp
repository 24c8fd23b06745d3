// Schedules of a task graph on a modelled machine, a worker for each core: one queue with a lock (OpenMP), a deque for
// each worker and random victims (oneTBB), a queue for each chiplet (ABSS), and ABSS's batch.
//
// In all of them a worker that has ended a task counts down the tasks after it, continues with the first that is ready,
// and publishes the others. The model contains transfers of the cache lines of queues, counters and idle workers; turns
// at a lock; wake-ups; and reads of predecessors' data from other chiplets, within the bandwidth of the links between
// sockets. Discrete events, one seed: the same graph gives the same times to the last bit.
#pragma once

#include <cstdint>
#include <string_view>

#include "tools/sim/model.hpp"
#include "tools/sim/task_dag.hpp"

namespace charm::sim {

enum class DagSchedule : std::uint8_t {
  one_queue,       ///< libgomp: all tasks in one queue with a lock; all idle threads try when a task comes
  random_deques,   ///< oneTBB: a deque for each worker, victims at random, idle workers sleep
  chiplet_queues,  ///< ABSS stream: to an idle worker of the chiplet, else into its queue; nearest queues first
  batch            ///< ABSS batch: what is ready together is divided evenly and statically
};

/// Costs that the machine's model does not have. docs/design/simulator.md has the sources.
struct DagCosts {
  double lock_ns = 20;            ///< in a queue's lock, beside the transfers of its lines
  double wake_ns = 1300;          ///< time of a futex wake-up; TaskOptions has the same
  double spawn_ns = 5;            ///< making a task and taking it back; the same
  double gflops_per_core = 10.4;  ///< tasks that were recorded at a higher rate are slowed down to it
};

struct DagRunResult {
  double makespan_ns = 0;
  double busy_ns = 0;                   ///< of all workers in tasks, with waiting for data
  double data_ns = 0;                   ///< waiting for data of other chiplets, a part of busy_ns
  std::uint64_t ran = 0, from_far = 0;  ///< tasks; those that another chiplet than a predecessor's ran
};

/// \param workers at most one for each core; they have the first cores. `random_deques` and `one_queue` are not bound:
/// their threads are on these cores in random order.
DagRunResult run_dag(const Model& model, int workers, const TaskDag& dag, DagSchedule schedule,
                     const DagCosts& costs = {}, std::uint64_t seed = 1);

}  // namespace charm::sim
