// Validator of BFS parents: the five rules of Graph500 (see validate.hpp).
#include <algorithm>

#include <fmt/format.h>

#include "workloads/executor/any.hpp"
#include "workloads/graph/complaint.hpp"
#include "workloads/graph/validate.hpp"
#include "workloads/relaxed.hpp"

namespace charm::workloads {
namespace {

constexpr Vertex unknown = -1;
constexpr Index edge_grain = 1024;

/// Level of every vertex by following parents to one whose level is known; -1 for unreached ones. A walk of more than n
/// steps runs in a circle: rule 1. Workers may walk the same path at the same time: they write the same levels.
template <Executor E>
Array<Vertex> levels_of(E& e, Index n, Vertex source, const Array<Vertex>& parent, Complaint& wrong) {
  Array<Vertex> level(n);
  e.parallel_for(0, n, 1 << 16, [&](Index lo, Index hi) { std::fill(level.data() + lo, level.data() + hi, unknown); });
  level[source] = 0;
  // Few large blocks: each may walk a long path once for itself.
  const Index grain = std::max<Index>(1024, n / (4 * e.workers()) + 1);
  e.parallel_for(0, n, grain, [&](Index lo, Index hi) {
    for (Index v = lo; v < hi && !wrong.any(); ++v) {  // every walk into a circle takes n steps: one is enough
      if (parent[v] < 0) continue;
      Index steps = 0;
      Index u = v;
      for (; load(level[u]) == unknown && steps <= n; ++steps) {
        Vertex above = parent[u];
        if (above < 0 || above >= n) break;
        u = above;
      }
      if (load(level[u]) == unknown) {
        wrong.add(v, steps > n ? fmt::format("rule 1: the parents of vertex {} run in a circle", v)
                               : fmt::format("rule 1: the parents of vertex {} end at {}, not at the source", v, u));
        continue;
      }
      auto depth = static_cast<Vertex>(load(level[u]) + steps);
      for (u = v; load(level[u]) == unknown; u = parent[u]) store(level[u], depth--);
    }
  });
  return level;
}

}  // namespace

std::string validate_bfs(AnyExecutor e, const CsrGraph& graph, Vertex source, const Array<Vertex>& parent,
                         Reached& reached) {
  reached = {};
  if (parent.size() != graph.vertices) return fmt::format("{} parents for {} vertices", parent.size(), graph.vertices);
  std::string wrong = validate_bfs_part(e, graph, 0, source, parent, reached);
  if (!graph.directed) reached.edges /= 2;
  return wrong;
}

std::string validate_bfs_part(AnyExecutor e, const CsrGraph& part, Vertex first, Vertex source,
                              const Array<Vertex>& parent, Reached& reached) {
  reached = {};
  const Index n = parent.size();
  if (parent[source] != source) return fmt::format("rule 1: the source {} has parent {}", source, parent[source]);
  Complaint wrong;
  const auto level = levels_of(e, n, source, parent, wrong);
  if (wrong.any()) return wrong.text();
  reached = e.parallel_reduce(
      first, first + part.vertices, edge_grain, Reached{},
      [&](Index lo, Index hi, Reached sum) {
        for (Index v = lo; v < hi; ++v) {
          if (level[v] < 0) continue;  // edges into the tree are seen from the tree, or allowed by their direction
          ++sum.vertices;
          sum.edges += part.out.degree(v - first);
          if (v != source) {
            Vertex up = parent[v];
            if (level[v] != level[up] + 1) {
              wrong.add(
                  v, fmt::format("rule 2: vertex {} is at level {}, its parent {} at {}", v, level[v], up, level[up]));
            }
            auto in = part.in().of(v - first);
            if (!std::binary_search(in.begin(), in.end(), up)) {
              wrong.add(v, fmt::format("rule 5: the tree edge {} -> {} is not in the graph", up, v));
            }
          }
          for (Vertex to : part.out.of(v - first)) {
            if (level[to] < 0) {
              wrong.add(v, fmt::format("rule 4: vertex {} is not in the tree, its neighbour {} is", to, v));
            } else if (level[to] > level[v] + 1) {
              wrong.add(v, fmt::format("rule 3: the edge {} -> {} joins levels {} and {}", v, to, level[v], level[to]));
            }
          }
        }
        return sum;
      },
      [](Reached a, Reached b) { return Reached{a.vertices + b.vertices, a.edges + b.edges}; });
  return wrong.text();
}

}  // namespace charm::workloads
