// Validator of shortest paths (see validate.hpp). Without weights of zero a tight edge into a vertex comes from one
// that is nearer, so it is enough that every reached vertex has one; with them, vertices could vouch for each other in
// a circle, and tight edges are followed from the source instead.
#include <charm/error.hpp>

#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "workloads/executor/any.hpp"
#include "workloads/graph/complaint.hpp"
#include "workloads/graph/validate.hpp"
#include "workloads/relaxed.hpp"

namespace charm::workloads {
namespace {

/// Marks what tight edges lead to from the source, one vertex at a time.
void follow_tight_edges(const CsrGraph& graph, const Weights& weights, Vertex source, const Array<Distance>& distance,
                        Array<std::uint8_t>& vouched) {
  std::vector<Vertex> open{source};
  while (!open.empty()) {
    Vertex u = open.back();
    open.pop_back();
    for (Index i = graph.out.offsets[u]; i < graph.out.offsets[Index{u} + 1]; ++i) {
      Vertex v = graph.out.neighbours[i];
      if (vouched[v] == 0 && std::uint64_t{distance[u]} + weights[i] == distance[v]) {
        vouched[v] = 1;
        open.push_back(v);
      }
    }
  }
}

}  // namespace

std::string validate_sssp(AnyExecutor e, const CsrGraph& graph, const Weights& weights, Vertex source,
                          const Array<Distance>& distance, Reached& reached) {
  constexpr Index grain = 1024;
  reached = {};
  const Index n = graph.vertices;
  if (distance.size() != n) return fmt::format("{} distances for {} vertices", distance.size(), n);
  if (distance[source] != 0) return fmt::format("the source {} is at distance {}", source, distance[source]);
  Array<std::uint8_t> vouched(n);
  e.parallel_for(0, n, 1 << 16, [&](Index lo, Index hi) {
    for (Index v = lo; v < hi; ++v) vouched[v] = 0;
  });
  vouched[source] = 1;
  Complaint wrong;
  Complaint beyond;
  reached = e.parallel_reduce(
      0, n, grain, Reached{},
      [&](Index lo, Index hi, Reached sum) {
        for (Index u = lo; u < hi; ++u) {
          if (distance[u] == unreached) continue;
          ++sum.vertices;
          sum.edges += graph.out.degree(u);
          for (Index i = graph.out.offsets[u]; i < graph.out.offsets[u + 1]; ++i) {
            Vertex v = graph.out.neighbours[i];
            const std::uint64_t by_u = std::uint64_t{distance[u]} + weights[i];
            if (by_u == distance[v]) {
              store(vouched[v], std::uint8_t{1});
            } else if (by_u < distance[v]) {
              wrong.add(u, fmt::format("vertex {} is at distance {}, but at {} by way of {}", v, distance[v], by_u, u));
            } else if (distance[v] == unreached) {
              beyond.add(u, fmt::format("vertex {} is {} away by way of {}", v, by_u, u));
            }
          }
        }
        return sum;
      },
      [](Reached a, Reached b) { return Reached{a.vertices + b.vertices, a.edges + b.edges}; });
  if (!graph.directed) reached.edges /= 2;
  if (wrong.any()) return wrong.text();
  if (weights.smallest == 0) {
    for (Index v = 0; v < n; ++v) vouched[v] = v == source;
    follow_tight_edges(graph, weights, source, distance, vouched);
  }
  e.parallel_for(0, n, 1 << 16, [&](Index lo, Index hi) {
    for (Index v = lo; v < hi; ++v) {
      if (distance[v] != unreached && vouched[v] == 0) {
        wrong.add(v, fmt::format("no path makes the distance {} of vertex {}", distance[v], v));
      }
    }
  });
  if (!wrong.any() && beyond.any())
    throw Error(Errc::bad_input, "sssp: " + beyond.text() + ", more than its distances of 32 bits hold",
                "divide all weights by the same number, or choose other kernels");
  return wrong.text();
}

}  // namespace charm::workloads
