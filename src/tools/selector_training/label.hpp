// Labels graphs by running them: each runs as a stream and in batches, in turns, and the times say which is faster.
#pragma once

#include <charm/graph_selector.hpp>
#include <charm/task_graph.hpp>

#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "task_dag/node_table.hpp"
#include "tools/compare/statistics.hpp"
#include "tools/selector_training/graph_plan.hpp"

namespace charm::selector_training {

/// Schedules within that of each other count as equal (ABSS §3.2).
inline constexpr double equal_within = 0.02;

struct LabelOptions {
  int pairs = 7;              // runs of each schedule
  double least_run_s = 3e-4;  // a run repeats the graph until it takes that long
};

/// What was measured of a graph.
struct Label {
  double stream_ns = 0, batch_ns = 0;  // medians, of one run of the graph
  compare::Ratio ratio;                // batch by stream: above 1, the stream is the faster
  int pairs = 0;
  int workers = 0;
  GraphFeatures features;  // as the runtime knew them after two runs
  task_dag::NodeTable nodes;

  /// "batch", "stream", or "both", where the interval of the ratio reaches into what counts as equal.
  [[nodiscard]] std::string_view better() const;
  /// Time lost by a schedule against the better one, as a share of its time.
  [[nodiscard]] double regret(GraphSchedule schedule) const;
};

/// Builds the graph that a plan describes. \throws Error (bad_input) for a cycle.
void build(task_graph& graph, const GraphPlan& plan);

/// Runs it. The runtime must run and have nothing else to do; what it knows about costs is forgotten first.
Label measure(const GraphPlan& plan, const LabelOptions& options);

/// A labelled graph in a file: the plan's JSON with a member "label".
base::Json labelled_json(const GraphPlan& plan, const Label& label);
struct LabelledGraph {
  GraphPlan plan;
  Label label;
};
/// \throws Error (bad_input).
LabelledGraph labelled_from(const base::Json& json, const std::string& origin);
std::vector<LabelledGraph> labelled_from_lines(const std::vector<base::Json>& lines, const std::string& path);

}  // namespace charm::selector_training
