// What the kernels are tested against: the textbook's slow way to each answer, on a plain list of arcs. Nothing of it
// is shared with the kernels, the builder or the validators.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace charm::workloads::testing {

constexpr std::int64_t no_path = std::numeric_limits<std::int64_t>::max();

/// A graph as a set of arcs without loops; an undirected edge is two.
struct PlainGraph {
  int vertices = 0;
  bool directed = false;
  std::vector<std::pair<int, int>> drawn;  ///< as given: with loops and repeats

  [[nodiscard]] std::set<std::pair<int, int>> arcs() const {
    std::set<std::pair<int, int>> all;
    for (auto [u, v] : drawn) {
      if (u == v) continue;
      all.emplace(u, v);
      if (!directed) all.emplace(v, u);
    }
    return all;
  }
};

using ArcWeights = std::map<std::pair<int, int>, std::int64_t>;

/// Bellman–Ford: relaxes every arc until nothing changes.
inline std::vector<std::int64_t> slow_distances(const PlainGraph& graph, const ArcWeights& weights, int source) {
  std::vector<std::int64_t> distance(static_cast<std::size_t>(graph.vertices), no_path);
  distance[static_cast<std::size_t>(source)] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [arc, weight] : weights) {
      auto from = distance[static_cast<std::size_t>(arc.first)];
      auto& to = distance[static_cast<std::size_t>(arc.second)];
      if (from != no_path && from + weight < to) {
        to = from + weight;
        changed = true;
      }
    }
  }
  return distance;
}

/// Levels of a search are distances where every arc weighs 1.
inline std::vector<std::int64_t> slow_levels(const PlainGraph& graph, int source) {
  ArcWeights ones;
  for (auto arc : graph.arcs()) ones[arc] = 1;
  return slow_distances(graph, ones, source);
}

/// The smallest vertex of each vertex's component: smaller labels spread until nothing changes.
inline std::vector<int> slow_components(const PlainGraph& graph) {
  std::vector<int> label(static_cast<std::size_t>(graph.vertices));
  for (int v = 0; v < graph.vertices; ++v) label[static_cast<std::size_t>(v)] = v;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto [u, v] : graph.drawn) {
      auto& a = label[static_cast<std::size_t>(u)];
      auto& b = label[static_cast<std::size_t>(v)];
      if (a != b) {
        a = b = std::min(a, b);
        changed = true;
      }
    }
  }
  return label;
}

/// Power iteration in double precision, until it stands still.
inline std::vector<double> slow_pagerank(const PlainGraph& graph) {
  const auto n = static_cast<std::size_t>(graph.vertices);
  const auto arcs = graph.arcs();
  std::vector<double> degree(n, 0);
  for (auto [u, v] : arcs) degree[static_cast<std::size_t>(u)] += 1;
  std::vector<double> scores(n, 1.0 / graph.vertices);
  for (int i = 0; i < 500; ++i) {
    std::vector<double> next(n, .15 / graph.vertices);
    for (auto [u, v] : arcs) {
      next[static_cast<std::size_t>(v)] +=
          .85 * scores[static_cast<std::size_t>(u)] / degree[static_cast<std::size_t>(u)];
    }
    scores = next;
  }
  return scores;
}

}  // namespace charm::workloads::testing
