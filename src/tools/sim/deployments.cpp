#include "tools/sim/deployments.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "tools/sim/backend.hpp"
#include "tools/sim/embedded.hpp"
#include "tools/sim/timing.hpp"

namespace charm::sim {
namespace {

using Json = base::Json;

/// Of a query per scanned line, on so many cores in so many processes.
Phase phase_of(const RecordedQuery& query, double scale, double cores, double processes, const DeploymentCosts& costs) {
  const double bytes = std::max(query.scanned_bytes * scale, line_bytes), lines = bytes / line_bytes;
  const double moved = query.moved_bytes * scale;
  Phase phase;
  phase.components.push_back(
      {"scan", Component::Order::sweep, Component::Reach::own, bytes / cores, 1, 0, 1, {}, false});
  if (moved >= line_bytes) {  // written once, read once
    phase.components.push_back(
        {"moved", Component::Order::sweep, Component::Reach::own, moved / cores, 2 * moved / bytes, 0.5, 1, {}, false});
  }
  if (query.working_set_bytes > 0 && query.moved_rows > 0) {
    const double part = std::max(query.working_set_bytes * scale / processes, line_bytes);
    phase.components.push_back({"state", Component::Order::random, Component::Reach::shared, part,
                                query.moved_rows * scale / lines, costs.state_writes, 0.75, uniform_popularity(),
                                true});
  }
  return phase;
}

double ns_per_line(const Model& model, const Phase& phase, const Processes& processes) {
  Job job{&model, {}, &phase, {}};
  for (std::size_t p = 0; p < processes.size(); ++p) {
    for (const int core : processes[p]) {
      const Core& here = model.machine.cores[static_cast<std::size_t>(core)];
      job.worker_cores.push_back(
          {.core = here.id, .cpu = here.cpu, .chiplet = here.chiplet, .node = here.node, .socket = here.socket});
      job.processes.push_back(static_cast<int>(p));
    }
  }
  return 1e9 / rates_of(job, analytic_mixes(job)).operations_per_s;
}

}  // namespace

Processes evenly(const Machine& machine, int processes) {
  const auto cores = machine.cores.size();
  Processes all(static_cast<std::size_t>(std::clamp(processes, 1, static_cast<int>(cores))));
  for (std::size_t core = 0; core < cores; ++core) all[core * all.size() / cores].insert(static_cast<int>(core));
  return all;
}

double modelled_seconds(const Model& model, const RecordedQuery& query, const Processes& processes, double scale,
                        const DeploymentCosts& costs) {
  const double grown = scale / query.scale, lines = std::max(query.scanned_bytes * grown, line_bytes) / line_bytes;
  double cores = 0;
  for (const CoreSet& process : processes) cores += static_cast<double>(process.size());
  const auto count = static_cast<double>(processes.size());

  // What the recorded core did besides waiting for its accesses.
  const Phase recorded = phase_of(query, 1, 1, 1, costs);
  const double recorded_lines = std::max(query.scanned_bytes, line_bytes) / line_bytes;
  const double alone = ns_per_line(model, recorded, {CoreSet{0}});

  Phase phase = phase_of(query, grown, cores, count, costs);
  phase.compute_ns = std::max(0.0, query.busy_s * 1e9 / recorded_lines - alone);
  phase.compute_ns += (1 - 1 / count) * query.moved_bytes * grown * costs.network_ns / lines;
  const double flows_s = count > 1 ? query.exchanges * count * costs.flow_ns / 1e9 : 0;
  return ns_per_line(model, phase, processes) * lines / 1e9 + flows_s;
}

std::vector<RecordedQuery> recorded_queries(const std::string& text, const std::string& origin) {
  const auto refuse = [&](const std::string& why) {
    throw Error(Errc::bad_input, "'" + origin + "' is no recording of queries: " + why,
                "write one by: charm bench olap --json > FILE");
  };
  std::vector<RecordedQuery> all;
  try {
    const Json json = Json::parse(text);
    for (const Json& each : json.at("profiles")) {
      const auto number = [&](const char* name) {
        const double value = each.at(name).get<double>();
        if (!(value >= 0) || value > 1e18) refuse(std::string(name) + " is out of range");
        return value;
      };
      all.push_back({each.at("query").get<std::string>(), number("scale"), number("busy_seconds"),
                     number("scanned_bytes"), number("working_set_bytes"), number("moved_rows"), number("moved_bytes"),
                     static_cast<int>(std::min(number("exchanges"), 1e6))});
      if (!(all.back().scale > 0) || !(all.back().busy_s > 0)) refuse(all.back().name + " took no time");
    }
  } catch (const nlohmann::json::exception& error) {
    refuse(base::json_problem(error));
  }
  if (all.empty()) refuse("it has no profiles");
  return all;
}

const std::vector<RecordedQuery>& recorded_tpch() {
  static const std::vector<RecordedQuery> all = [] {
    const auto& file = embedded_queries().front();
    return recorded_queries(std::string(file.text), std::string(file.name));
  }();
  return all;
}

Model deployed_machine(const std::string& name) {
  struct Pair {
    const char* name;
    const char* of;
    const char* title;
  };
  // Processors with the chiplets and caches of a model, and its costs.
  static constexpr Pair pairs[] = {{"2x7763", "epyc-7713-2s", "2 × AMD EPYC 7763, with the costs of the 7713"},
                                   {"2x9654", "epyc-9654", "2 × AMD EPYC 9654"}};
  for (const Pair& pair : pairs) {
    if (name != pair.name) continue;
    Json json = Json::parse(model_json(model(pair.of)));
    json["name"] = pair.name;
    json["title"] = pair.title;
    json["sockets"] = 2;
    return parse_model(json.dump(), pair.name);
  }
  return model(name);
}

}  // namespace charm::sim
