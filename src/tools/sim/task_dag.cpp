#include "tools/sim/task_dag.hpp"

#include <charm/error.hpp>

#include <cmath>

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "tools/sim/embedded.hpp"

namespace charm::sim {

double TaskDag::run_ns() const {
  double sum = 0;
  for (const DagTask& task : tasks) sum += task.run_ns;
  return sum;
}

TaskDagRecord parse_task_dags(const std::string& text, const std::string& origin) {
  const auto refuse = [&](const std::string& what) {
    return Error(Errc::bad_input, "task graphs " + origin + ": " + what, "record them with charm sim record-factor");
  };
  try {
    const auto json = base::SortedJson::parse(text);
    TaskDagRecord record{json.at("made_by").get<std::string>(), {}};
    for (const auto& entry : json.at("graphs")) {
      TaskDag dag{entry.at("name").get<std::string>(), entry.at("gflop").get<double>(), {}};
      const auto size = static_cast<int>(entry.at("tasks").size());
      for (const auto& task : entry.at("tasks")) {
        DagTask made{task.at(0).get<double>(), task.at(1).get<double>(), task.at(2).get<std::vector<int>>()};
        for (const int after : made.after) {
          if (after <= static_cast<int>(dag.tasks.size()) || after >= size)
            throw refuse("an edge of task " + std::to_string(dag.tasks.size()) + " of " + dag.name +
                         " does not lead to a later task");
        }
        dag.tasks.push_back(std::move(made));
      }
      record.dags.push_back(std::move(dag));
    }
    return record;
  } catch (const nlohmann::json::exception& error) {
    throw refuse(base::json_problem(error));
  }
}

std::string task_dags_json(const TaskDagRecord& record) {
  std::string out = "{\"made_by\": " + base::SortedJson(record.made_by).dump() + ", \"graphs\": [\n";
  for (std::size_t d = 0; d < record.dags.size(); ++d) {
    const TaskDag& dag = record.dags[d];
    out += "{\"name\": " + base::SortedJson(dag.name).dump() + ", \"gflop\": " + base::SortedJson(dag.gflop).dump() +
           ", \"tasks\": [\n";
    for (std::size_t t = 0; t < dag.tasks.size(); ++t) {
      const DagTask& task = dag.tasks[t];
      out += "[" + std::to_string(std::llround(task.run_ns)) + "," + std::to_string(std::llround(task.bytes)) + "," +
             base::SortedJson(task.after).dump() + "]";
      out += t + 1 == dag.tasks.size() ? "\n" : t % 8 == 7 ? ",\n" : ",";
    }
    out += d + 1 < record.dags.size() ? "]},\n" : "]}\n";
  }
  return out + "]}\n";
}

const TaskDagRecord& recorded_factorisations() {
  static const TaskDagRecord record = [] {
    const auto& file = embedded_task_graphs().front();
    return parse_task_dags(std::string(file.text), std::string(file.name));
  }();
  return record;
}

}  // namespace charm::sim
