#include "tools/sim/replay.hpp"

#include <charm/error.hpp>

#include <map>

#include <nlohmann/json.hpp>

#include "base/json.hpp"

namespace charm::sim {

TaskGraph parse_trace(const std::string& text, const std::string& origin) {
  const auto refuse = [&](const std::string& what) {
    return Error(Errc::bad_input, "trace " + origin + ": " + what, "give a file that CHARM_TRACE=FILE has written");
  };
  try {
    const auto json = base::SortedJson::parse(text);
    if (!json.contains("charm")) throw refuse("it has no section \"charm\"");
    const auto& section = json.at("charm");
    if (section.at("version").get<int>() != 1) throw refuse("its version is not 1");
    TaskGraph graph{origin, {}};
    std::map<long long, int> index;
    for (const auto& task : section.at("tasks")) {
      index.emplace(task.at("id").get<long long>(), static_cast<int>(index.size()));
    }
    const auto find = [&](long long id) {
      const auto at = index.find(id);
      return at == index.end() ? -1 : at->second;
    };
    for (const auto& entry : section.at("tasks")) {
      Task task;
      task.run_ns = entry.at("run_ns").get<double>();
      const int parent = find(entry.at("parent").get<long long>());
      // A parent begins before its children; one that does not was recorded wrongly, and is as good as unknown.
      if (parent < static_cast<int>(graph.tasks.size())) task.parent = parent;
      task.parent_after_ns = entry.at("parent_after_ns").get<double>();
      task.fork = task.parent >= 0 && entry.at("edge").get<std::string>() == "fork";
      if (entry.contains("waits")) {
        for (const auto& wait : entry.at("waits")) {
          const int by = find(wait.at("by").get<long long>());
          task.waits.push_back({wait.at("after_ns").get<double>(), by, wait.at("by_after_ns").get<double>()});
        }
      }
      graph.tasks.push_back(std::move(task));
    }
    return graph;
  } catch (const nlohmann::json::exception& error) {
    throw refuse(base::json_problem(error));
  }
}

}  // namespace charm::sim
