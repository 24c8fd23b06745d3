#include "tools/selector_training/label.hpp"

#include <charm/error.hpp>
#include <charm/runtime.hpp>

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/random.hpp"
#include "task_dag/costs.hpp"
#include "task_dag/graph_state.hpp"
#include "task_dag/selector_model.hpp"
#include "tools/base/quantile.hpp"
#include "tools/selector_training/kernel.hpp"

namespace charm::selector_training {

using base::Json;

std::string_view Label::better() const {
  if (ratio.at95.high < 1 - equal_within) return "batch";
  if (ratio.at95.low > 1 + equal_within) return "stream";
  return "both";
}

double Label::regret(GraphSchedule schedule) const {
  const double taken = schedule == GraphSchedule::batch ? batch_ns : stream_ns;
  return taken / std::min(stream_ns, batch_ns) - 1;
}

void build(task_graph& graph, const GraphPlan& plan) {
  // Few names for the kinds of all graphs, since the runtime keeps every name that it was ever given.
  std::vector<task_kind> kinds;
  for (std::size_t k = 0; k < plan.kinds.size(); ++k) kinds.emplace_back("charm batch, kind " + std::to_string(k));
  for (const GraphPlan::Node& node : plan.nodes) {
    graph_node made;
    if (node.choice >= 0) {
      const std::uint32_t work = node.work;
      const auto choice = static_cast<std::uint32_t>(node.choice);
      made = graph.emplace([work, choice] {
        Axpy::run(work);
        return static_cast<int>(choice);
      });
    } else {
      made = graph.emplace([work = node.work] { Axpy::run(work); });
    }
    made.kind(kinds[node.kind]);
  }
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    for (const std::uint32_t to : plan.nodes[i].after) make_edge(graph.node(i), graph.node(to));
  }
  graph.check();
}

namespace {

double ns_of_runs(task_graph& graph, GraphSchedule schedule, std::size_t times) {
  graph.set_schedule(schedule);
  const std::int64_t begin = base::monotonic_ns();
  graph.run_n(times);
  return static_cast<double>(base::monotonic_ns() - begin) / static_cast<double>(times);
}

}  // namespace

Label measure(const GraphPlan& plan, const LabelOptions& options) {
  task_dag::costs.forget();
  task_graph graph(plan.id);
  build(graph, plan);
  const double first = ns_of_runs(graph, GraphSchedule::stream, 1);  // also warms up, and measures costs
  ns_of_runs(graph, GraphSchedule::batch, 1);
  Label label;
  label.workers = num_workers();
  label.pairs = options.pairs;
  label.features = GraphFeatures::of(graph);
  label.nodes = task_dag::NodeTable::of(detail::state_of(graph));
  const auto times = static_cast<std::size_t>(std::clamp(options.least_run_s * 1e9 / first, 1.0, 1000.0));
  std::vector<double> stream, in_batches;
  for (int pair = 0; pair < options.pairs; ++pair) {  // ABBA: what drifts is shared evenly
    for (const bool second : {false, true}) {
      const bool batch = second != (pair % 2 != 0);
      (batch ? in_batches : stream)
          .push_back(ns_of_runs(graph, batch ? GraphSchedule::batch : GraphSchedule::stream, times));
    }
  }
  label.stream_ns = base::median(stream);
  label.batch_ns = base::median(in_batches);
  label.ratio = compare::paired_ratio(stream, in_batches, base::mixed(plan.nodes.size())).value_or(compare::Ratio());
  return label;
}

Json labelled_json(const GraphPlan& plan, const Label& label) {
  Json json = plan_json(plan);
  Json nodes = Json::array();
  for (std::size_t i = 0; i < label.nodes.nodes; ++i) {
    Json row = Json::array();
    for (std::size_t f = 0; f < task_dag::NodeTable::features; ++f) {
      const double value = static_cast<double>(label.nodes.values[i * task_dag::NodeTable::features + f]);
      row.push_back(std::round(value * 1e4) / 1e4);
    }
    nodes.push_back(std::move(row));
  }
  Json features = Json::object();
  for (std::size_t f = 0; f < GraphFeatures::count; ++f)
    features[std::string(GraphFeatures::names[f])] = std::round(label.features.values[f] * 1e6) / 1e6;
  json["label"] = {{"better", label.better()},
                   {"stream_ns", std::round(label.stream_ns)},
                   {"batch_ns", std::round(label.batch_ns)},
                   {"ratio", label.ratio.value},
                   {"low", label.ratio.at95.low},
                   {"high", label.ratio.at95.high},
                   {"pairs", label.pairs},
                   {"workers", label.workers},
                   {"features", std::move(features)},
                   {"nodes", std::move(nodes)}};
  return json;
}

namespace {

double above_zero(const Json& json, const char* name) {
  const double value = json.at(name).get<double>();
  if (!(value > 0) || !std::isfinite(value))
    throw std::invalid_argument("a '" + std::string(name) + "' that is not a number above 0");
  return value;
}

}  // namespace

LabelledGraph labelled_from(const Json& json, const std::string& origin) {
  LabelledGraph graph{plan_from(json, origin), {}};
  Label& label = graph.label;
  try {
    const Json& from = json.at("label");
    label.stream_ns = above_zero(from, "stream_ns");
    label.batch_ns = above_zero(from, "batch_ns");
    label.ratio.value = above_zero(from, "ratio");
    label.ratio.at95 = {above_zero(from, "low"), above_zero(from, "high")};
    label.pairs = from.at("pairs").get<int>();
    label.workers = from.at("workers").get<int>();
    for (std::size_t f = 0; f < GraphFeatures::count; ++f)
      label.features.values[f] =
          task_dag::finite(from.at("features").at(std::string(GraphFeatures::names[f])).get<double>(), "a feature");
    const Json& nodes = from.at("nodes");
    label.nodes.nodes = static_cast<std::uint32_t>(graph.plan.nodes.size());
    if (!nodes.is_array() || nodes.size() != label.nodes.nodes)
      throw std::invalid_argument("features of more or fewer nodes than the graph has");
    for (const Json& row : nodes) {
      if (row.size() != task_dag::NodeTable::features)
        throw std::invalid_argument("a node with more or fewer than 8 features");
      for (const Json& value : row)
        label.nodes.values.push_back(static_cast<float>(task_dag::finite(value.get<double>(), "a feature of a node")));
    }
  } catch (const std::invalid_argument& error) {
    throw Error(Errc::bad_input, origin + " has " + error.what(), "docs/design/graph-selectors.md has the format");
  } catch (const Json::exception& error) {
    throw Error(Errc::bad_input, origin + " is no labelled task graph: " + base::json_problem(error),
                "run `charm batch label` on the graphs");
  }
  label.nodes.connect([&](auto&& edge) {
    for (std::uint32_t i = 0; i < label.nodes.nodes; ++i) {
      for (const std::uint32_t to : graph.plan.nodes[i].after) edge(i, to);
    }
  });
  return graph;
}

std::vector<LabelledGraph> labelled_from_lines(const std::vector<Json>& lines, const std::string& path) {
  std::vector<LabelledGraph> graphs;
  for (std::size_t i = 1; i < lines.size(); ++i)
    graphs.push_back(labelled_from(lines[i], path + ", line " + std::to_string(i + 1)));
  if (graphs.empty())
    throw Error(Errc::bad_input, path + " has no labelled graphs", "run `charm batch label` to its end");
  return graphs;
}

}  // namespace charm::selector_training
