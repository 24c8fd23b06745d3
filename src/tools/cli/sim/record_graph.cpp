#include "tools/cli/sim/record_graph.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <ostream>

#include "workloads/executor/serial.hpp"
#include "workloads/graph/bfs.hpp"
#include "workloads/graph/input.hpp"
#include "workloads/graph/sources.hpp"
#include "workloads/graph/sssp.hpp"

namespace charm::cli {
namespace {

using namespace workloads;

// Vertices of 4 bytes to a cache line. The recorded shape is one of lines, so kernels with other states share it.
constexpr Index per_line = 16;

/// Depth of each vertex in a tree of parents; -1 where it was not reached.
std::vector<int> depths(const Array<Vertex>& parents, Vertex source) {
  std::vector<int> depth(static_cast<std::size_t>(parents.size()), -1);
  depth[static_cast<std::size_t>(source)] = 0;
  std::vector<Vertex> path;
  for (Index v = 0; v < parents.size(); ++v) {
    if (parents[v] < 0) continue;
    auto at = static_cast<Vertex>(v);
    for (path.clear(); depth[static_cast<std::size_t>(at)] < 0; at = parents[at]) path.push_back(at);
    int d = depth[static_cast<std::size_t>(at)];
    for (; !path.empty(); path.pop_back()) depth[static_cast<std::size_t>(path.back())] = ++d;
  }
  return depth;
}

/// Touches of each line of vertex state when every vertex of `active` looks at its neighbours.
template <class Active>
sim::Popularity touched(const CsrGraph& graph, Active&& active) {
  std::vector<double> lines(static_cast<std::size_t>((graph.vertices + per_line - 1) / per_line), 0);
  for (Index u = 0; u < graph.vertices; ++u) {
    if (!active(u)) continue;
    for (const Vertex v : graph.out.of(u)) ++lines[static_cast<std::size_t>(v / per_line)];
  }
  return sim::popularity_of(std::move(lines));
}

sim::GraphRecord::Run bfs_run(const CsrGraph& graph, Vertex source) {
  SerialExecutor serial;
  const auto depth = depths(bfs(serial, graph, source), source);
  sim::GraphRecord::Run run{"bfs", {}, 0, {}};
  double reached = 0;
  for (Index v = 0; v < graph.vertices; ++v) {
    const int d = depth[static_cast<std::size_t>(v)];
    if (d < 0) continue;
    ++reached;
    if (run.steps.size() <= static_cast<std::size_t>(d)) run.steps.resize(static_cast<std::size_t>(d) + 1, 0);
    run.steps[static_cast<std::size_t>(d)] += static_cast<double>(graph.out.degree(v));
  }
  run.writes = reached / run.edges();
  run.popularity = touched(graph, [&](Index v) { return depth[static_cast<std::size_t>(v)] >= 0; });
  return run;
}

/// Steps are buckets of distances; a write is a distance that became smaller while vertices settled in their order.
sim::GraphRecord::Run sssp_run(Graph::Data& data, Vertex source) {
  const CsrGraph& graph = data.loaded.graph;
  SerialExecutor serial;
  const Weights& weights = weights_of(data, {"serial", 1});
  const auto distance = sssp(serial, graph, weights, source, 0);
  std::vector<Vertex> order;
  Distance longest = 1;
  for (Index v = 0; v < graph.vertices; ++v) {
    if (distance[v] == unreached) continue;
    order.push_back(static_cast<Vertex>(v));
    longest = std::max(longest, distance[v]);
  }
  std::sort(order.begin(), order.end(),
            [&](Vertex a, Vertex b) { return distance[a] != distance[b] ? distance[a] < distance[b] : a < b; });
  // The largest weight over the mean degree, as a power of two: wider than the kernel's buckets, so that a step is
  // several of its.
  const double degree = static_cast<double>(graph.arcs()) / static_cast<double>(graph.vertices);
  const double width = std::exp2(std::floor(std::log2(std::max(1.0, weights.largest / degree))));
  sim::GraphRecord::Run run{"sssp", {}, 0, {}};
  run.steps.resize(static_cast<std::size_t>(longest / width) + 1, 0);
  std::vector<Distance> known(static_cast<std::size_t>(graph.vertices), unreached);
  double improved = 0;
  for (const Vertex u : order) {
    run.steps[static_cast<std::size_t>(distance[u] / width)] += static_cast<double>(graph.out.degree(u));
    for (Index i = graph.out.offsets[u]; i < graph.out.offsets[Index{u} + 1]; ++i) {
      auto& at = known[static_cast<std::size_t>(graph.out.neighbours[i])];
      if (distance[u] + weights[i] < at) {
        at = distance[u] + weights[i];
        ++improved;
      }
    }
  }
  run.steps.erase(std::remove(run.steps.begin(), run.steps.end(), 0.0), run.steps.end());
  run.writes = improved / run.edges();
  run.popularity = touched(graph, [&](Index v) { return distance[v] != unreached; });
  return run;
}

/// Kernels that look at every edge in every step.
sim::GraphRecord::Run whole_run(const CsrGraph& graph, const char* kernel, int steps, double writes) {
  sim::GraphRecord::Run run{kernel, {}, writes, {}};
  run.steps.assign(static_cast<std::size_t>(steps), static_cast<double>(graph.arcs()));
  run.popularity = touched(graph, [](Index) { return true; });
  return run;
}

}  // namespace

sim::GraphRecord record_graph(int scale) {
  GenerateOptions options;
  options.scale = scale;
  Graph graph = Graph::generate(options, {"serial", 1});
  Graph::Data& data = graph.data();
  const CsrGraph& csr = data.loaded.graph;
  const Vertex source = pick_sources(csr, 1).front();

  sim::GraphRecord record;
  record.name = "kronecker-" + std::to_string(scale);
  record.vertices = static_cast<double>(csr.vertices);
  record.arcs = static_cast<double>(csr.arcs());
  record.runs.push_back(bfs_run(csr, source));
  record.runs.push_back(sssp_run(data, source));
  auto graph500 = record.runs.front();
  graph500.kernel = "graph500";
  record.runs.push_back(std::move(graph500));
  record.runs.push_back(whole_run(csr, "cc", 3, 0.05));
  record.runs.push_back(whole_run(csr, "pagerank", 20, 0));
  return record;
}

int print_graph_record(int scale, Session& session) {
  session.out << sim::graph_record_json(record_graph(scale));
  return exit_done;
}

}  // namespace charm::cli
