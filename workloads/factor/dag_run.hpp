// A graph of tasks on a runtime: CHARM's task graphs, OpenMP's tasks, oneTBB's task groups, or one thread. CHARM's
// graph is built once. For OpenMP and oneTBB a task that has ended counts down its successors, goes on with one of
// those that are ready and spawns the others, which is what CHARM's stream does, too: a difference in time is a
// difference between the runtimes. OpenMP's depend clauses and oneTBB's flow graph would cost these more.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "workloads/factor/dag.hpp"
#include "workloads/kernel_run.hpp"

namespace charm::workloads::factor {

class DagRun {
 public:
  DagRun() = default;
  DagRun(const DagRun&) = delete;
  DagRun& operator=(const DagRun&) = delete;
  virtual ~DagRun() = default;
  /// Runs every task of the graph once, each after its predecessors; waits.
  virtual void run(TaskBody& body) = 0;
  /// How the last run was scheduled: "stream" or "batch"; empty where there is no choice.
  [[nodiscard]] virtual std::string last_schedule() const { return {}; }
};

/// \param dag must live as long as the result.
/// \param kinds names of the kinds of tasks, for the costs that CHARM measures.
/// \param schedule of CHARM: "stream", "batch" or a selector's description (charm/graph_selector.hpp).
/// \throws Error (bad_config) for a runtime that the build does not have, Error (bad_input) of the selector.
std::unique_ptr<DagRun> make_dag_run(const Runner& runner, const TaskDag& dag, const std::vector<std::string>& kinds,
                                     const std::string& schedule = "stream");

}  // namespace charm::workloads::factor
