// Graphs that break graph code, drawn by RapidCheck: multigraphs with loops, paths, stars, pieces that nothing joins,
// isolated vertices, one vertex.
#pragma once

#include <algorithm>
#include <numeric>
#include <ostream>
#include <rapidcheck.h>

#include "workloads/graph/build.hpp"
#include "workloads/reference.hpp"

namespace charm::workloads::testing {

inline void showValue(const PlainGraph& graph, std::ostream& out) {
  out << graph.vertices << (graph.directed ? " vertices, directed:" : " vertices, undirected:");
  for (auto [u, v] : graph.drawn) out << ' ' << u << '-' << v;
}

inline rc::Gen<PlainGraph> any_graph() {
  return rc::gen::exec([] {
    PlainGraph graph;
    graph.directed = *rc::gen::arbitrary<bool>();
    // Most graphs are small, some have more vertices than a bitmap's word or a loop's grain.
    graph.vertices = *rc::gen::weightedOneOf<int>({{8, rc::gen::inRange(1, 40)}, {2, rc::gen::inRange(40, 400)}});
    const int n = graph.vertices;
    const auto vertex = rc::gen::inRange(0, n);
    auto add = [&](int u, int v) { graph.drawn.emplace_back(u, v); };
    switch (*rc::gen::inRange(0, 4)) {
      case 0:
        break;
      case 1:  // a path through vertices in a drawn order
      {
        const int step = *rc::gen::inRange(1, 8);
        for (int i = 0; i + 1 < n; ++i) add(i * step % n, (i + 1) * step % n);
      } break;
      case 2:  // a star, seen from its hub
      {
        const int hub = *vertex;
        for (int v = 0; v < n; ++v) add(hub, v);
      } break;
      default:  // two halves that only a drawn edge can join
        for (int i = 0; i < n; ++i) add(i, i < n / 2 ? i / 2 : n / 2 + (i - n / 2) / 2);
    }
    const auto more = *rc::gen::container<std::vector<std::pair<int, int>>>(rc::gen::pair(vertex, vertex));
    graph.drawn.insert(graph.drawn.end(), more.begin(), more.end());
    return graph;
  });
}

template <Executor E>
CsrGraph to_csr(E& e, const PlainGraph& plain) {
  CsrGraph graph;
  graph.vertices = plain.vertices;
  graph.directed = plain.directed;
  constexpr Index per_block = 7;
  const auto edges = static_cast<Index>(plain.drawn.size());
  graph.out = build_csr(e, graph.vertices, (edges + per_block - 1) / per_block, !plain.directed, true,
                        [&](Index b, auto&& emit) {
                          for (Index i = b * per_block; i < std::min(edges, (b + 1) * per_block); ++i) {
                            auto [u, v] = plain.drawn[static_cast<std::size_t>(i)];
                            emit(u, v);
                          }
                        });
  if (graph.directed) graph.transposed = transpose(e, graph.out, graph.vertices);
  return graph;
}

}  // namespace charm::workloads::testing
