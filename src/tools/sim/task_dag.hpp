// Tasks of a program whose order is known before it runs, as data: how long each takes, how much it writes, and which
// come after it. `charm sim record-factor` records those of the factorisations (src/tools/sim/task_graphs/*.json).
#pragma once

#include <string>
#include <vector>

namespace charm::sim {

struct DagTask {
  double run_ns = 0;
  double bytes = 0;        // that it leaves for the tasks after it
  std::vector<int> after;  // the tasks that wait for it; their numbers are higher than its own
};

struct TaskDag {
  std::string name;  // "qr"
  double gflop = 0;  // of all tasks
  std::vector<DagTask> tasks;

  [[nodiscard]] double run_ns() const;  // of all tasks
};

struct TaskDagRecord {
  std::string made_by;  // the command, and where the times were measured
  std::vector<TaskDag> dags;
};

/// \throws Error (bad_input).
TaskDagRecord parse_task_dags(const std::string& json, const std::string& origin);
std::string task_dags_json(const TaskDagRecord& record);

/// The factorisations that are built in.
const TaskDagRecord& recorded_factorisations();

}  // namespace charm::sim
