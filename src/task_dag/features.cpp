// The features of a graph, by which selectors decide. Source: ABSS §3.2 (degrees, types, conditional edges); costs and
// widths are additions, since shape alone does not show which schedule is faster.
#include <charm/error.hpp>
#include <charm/graph_selector.hpp>
#include <charm/runtime.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include "task_dag/costs.hpp"
#include "task_dag/graph_state.hpp"

namespace charm {

using detail::GraphNode;
using detail::GraphState;

const std::array<std::string_view, GraphFeatures::count> GraphFeatures::names = {
    "log_nodes",      "log_edges",        "depth",  "log_width", "log_max_width", "width_per_worker", "tail",
    "mean_degree",    "degree_variation", "max_in", "max_out",   "conditional",   "log_kinds",        "log_cost",
    "cost_variation", "cost_known"};

double GraphFeatures::operator[](std::string_view name) const {
  const auto* found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    std::string all;
    for (const std::string_view each : names) all += (all.empty() ? "" : ", ") + std::string(each);
    throw Error(Errc::bad_input, "there is no feature '" + std::string(name) + "'", "the features are " + all);
  }
  return values[static_cast<std::size_t>(found - names.begin())];
}

namespace {

double log1(double x) { return std::log1p(x); }

/// Mean and spread of many numbers.
struct Moments {
  double n = 0, sum = 0, squares = 0;
  void add(double x, double times = 1) {
    n += times;
    sum += times * x;
    squares += times * x * x;
  }
  [[nodiscard]] double mean() const { return n > 0 ? sum / n : 0; }
  [[nodiscard]] double variation() const {
    const double m = mean();
    return m > 0 ? std::sqrt(std::max(0.0, squares / n - m * m)) / m : 0;
  }
};

}  // namespace

GraphFeatures GraphFeatures::of(task_graph& facade, int workers) {
  GraphState& graph = *facade.state_;
  graph.must_not_run("the features");
  graph.prepare();
  const double p = workers > 0 ? workers : std::max(1, num_workers());

  Moments degree;
  std::uint64_t conditional = 0;
  std::uint32_t max_in = 0, max_out = 0;
  std::array<std::uint32_t, task_dag::Costs::most_kinds> of_kind{};
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    const GraphNode& node = *graph.at(i);
    degree.add(node.successor_count);
    if (node.type->kind == detail::GraphNodeType::Kind::condition) conditional += node.successor_count;
    max_in = std::max(max_in, node.predecessors);
    max_out = std::max(max_out, node.successor_count);
    ++of_kind[node.kind];
  }

  double depth = 0, tail = 0;
  std::uint32_t max_width = 0;
  graph.for_levels([&](std::uint32_t width) {
    ++depth;
    max_width = std::max(max_width, width);
    const double rest = std::fmod(width, p);
    tail += (rest > 0 ? p - rest : 0) / p;
  });

  Moments cost;
  double kinds = 0;
  for (std::size_t kind = 0; kind < of_kind.size(); ++kind) {
    if (of_kind[kind] == 0) continue;
    ++kinds;
    const task_dag::Costs::Cost known = task_dag::costs.of(static_cast<std::uint16_t>(kind));
    if (known.samples == 0) continue;
    cost.add(known.mean, of_kind[kind]);
    cost.squares += known.variance * of_kind[kind];
  }
  const double nodes = graph.size();
  const double edges = static_cast<double>(graph.edges());
  const double width = depth > 0 ? nodes / depth : 0;
  GraphFeatures out;
  out.values = {log1(nodes),
                log1(edges),
                log1(depth),
                log1(width),
                log1(max_width),
                width / p,
                depth > 0 ? tail / depth : 0,
                degree.mean(),
                degree.variation(),
                log1(max_in),
                log1(max_out),
                edges > 0 ? static_cast<double>(conditional) / edges : 0,
                kinds > 0 ? std::log(kinds) : 0,
                cost.n > 0 ? log1(cost.mean() * task_dag::ns_per_tick()) : 0,
                cost.variation(),
                nodes > 0 ? cost.n / nodes : 0};
  return out;
}

}  // namespace charm
