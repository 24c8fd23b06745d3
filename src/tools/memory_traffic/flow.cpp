#include "tools/memory_traffic/flow.hpp"

#include <algorithm>
#include <numeric>

#include "tools/memory_traffic/index.hpp"

namespace charm::memory_traffic {
namespace {

/// The children of a vertex: each begins where the one before it ends.
template <class Visit>
void for_each_child(const AccessTree& tree, int vertex, Visit visit) {
  for (int child = vertex + 1; child < tree.vertices[at(vertex)].end; child = tree.vertices[at(child)].end)
    visit(child);
}

void scale(const AccessTree& tree, int vertex, double factor, Weights& weights) {
  for (int v = vertex; v < tree.vertices[at(vertex)].end; ++v) {
    if (tree.vertices[at(v)].memory >= 0) weights[at(tree.vertices[at(v)].memory)] *= factor;
  }
}

double refresh(const AccessTree& tree, int vertex, double bottleneck_above, Weights& weights) {
  const Vertex& here = tree.vertices[at(vertex)];
  const double bottleneck = std::min(here.gb_per_s, bottleneck_above);
  if (here.memory >= 0) {
    weights[at(here.memory)] = bottleneck;
    return bottleneck;
  }
  double sum = 0;
  for_each_child(tree, vertex, [&](int child) { sum += refresh(tree, child, bottleneck, weights); });
  if (sum > bottleneck) scale(tree, vertex, bottleneck / sum, weights);
  return std::max(sum, bottleneck);  // as printed
}

/// The flow from below a vertex through its edge, of the memories that `take` names, with these bandwidths of edges.
template <class Take>
double fill(const AccessTree& tree, int vertex, const std::vector<double>& edges, const Take& take, Weights& flow) {
  const Vertex& here = tree.vertices[at(vertex)];
  if (here.memory >= 0) {
    const double own = take(here) ? edges[at(vertex)] : 0;
    flow[at(here.memory)] = own;
    return own;
  }
  double sum = 0;
  for_each_child(tree, vertex, [&](int child) { sum += fill(tree, child, edges, take, flow); });
  if (sum <= edges[at(vertex)]) return sum;
  scale(tree, vertex, edges[at(vertex)] / sum, flow);
  return edges[at(vertex)];
}

std::vector<double> edges_of(const AccessTree& tree) {
  std::vector<double> edges;
  for (const Vertex& vertex : tree.vertices) edges.push_back(vertex.gb_per_s);
  return edges;
}

}  // namespace

Weights printed(const AccessTree& tree) {
  Weights weights(tree.memories, 0);
  refresh(tree, 0, unlimited, weights);
  return weights;
}

double max_flow(const AccessTree& tree) {
  Weights flow(tree.memories, 0);
  return fill(tree, 0, edges_of(tree), [](const Vertex&) { return true; }, flow);
}

Weights proportional(const AccessTree& tree) {
  Weights flow(tree.memories, 0);
  fill(tree, 0, edges_of(tree), [](const Vertex&) { return true; }, flow);
  return flow;
}

Weights nearest_first(const AccessTree& tree, double demand_gb_per_s) {
  std::vector<double> latencies;
  for (const Vertex& vertex : tree.vertices) {
    if (vertex.memory >= 0) latencies.push_back(vertex.latency_ns);
  }
  std::sort(latencies.begin(), latencies.end());
  latencies.erase(std::unique(latencies.begin(), latencies.end()), latencies.end());

  Weights all(tree.memories, 0);
  std::vector<double> edges = edges_of(tree);
  edges[0] = demand_gb_per_s;
  for (const double latency : latencies) {
    Weights flow(tree.memories, 0);
    fill(tree, 0, edges, [&](const Vertex& leaf) { return leaf.latency_ns == latency; }, flow);
    for (std::size_t v = 0; v < tree.vertices.size(); ++v) {
      const int memory = tree.vertices[v].memory;
      if (memory < 0 || flow[at(memory)] == 0) continue;
      all[at(memory)] += flow[at(memory)];
      for (int on = static_cast<int>(v); on >= 0; on = tree.vertices[at(on)].parent)
        edges[at(on)] = std::max(0.0, edges[at(on)] - flow[at(memory)]);
    }
  }
  return all;
}

double rate(const AccessTree& tree, const Weights& weights) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (total <= 0) return 0;
  double best = unlimited;
  std::vector<double> behind(tree.vertices.size(), 0);
  for (std::size_t v = tree.vertices.size(); v-- > 0;) {
    const Vertex& vertex = tree.vertices[v];
    if (vertex.memory >= 0) behind[v] = weights[at(vertex.memory)] / total;
    if (behind[v] > 0) best = std::min(best, vertex.gb_per_s / behind[v]);
    if (vertex.parent >= 0) behind[at(vertex.parent)] += behind[v];
  }
  return best;
}

Weights normalised(Weights weights) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight = total > 0 ? weight / total : 1.0 / static_cast<double>(weights.size());
  return weights;
}

}  // namespace charm::memory_traffic
