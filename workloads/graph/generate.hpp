// Makes the graph of a generator: the same one for any runtime and number of workers.
#pragma once

#include <algorithm>
#include <cstdint>

#include "workloads/graph/build.hpp"
#include "workloads/graph/caterpillar.hpp"
#include "workloads/graph/grid.hpp"
#include "workloads/graph/kronecker.hpp"
#include "workloads/graph/roads.hpp"
#include "workloads/graph/uniform.hpp"
#include "workloads/graph/web.hpp"

namespace charm::workloads {

/// A generator whose edges have numbers: `edge(i)` for i below `edges()`.
template <Executor E, class Generator>
CsrGraph graph_of(E& e, const Generator& generator) {
  constexpr Index block = Index{1} << 14;
  CsrGraph graph;
  graph.vertices = generator.vertices();
  const Index edges = generator.edges();
  graph.out = build_csr(e, graph.vertices, (edges + block - 1) / block, true, true, [&](Index b, auto&& emit) {
    for (Index i = b * block; i < std::min(edges, (b + 1) * block); ++i) {
      auto [u, v] = generator.edge(i);
      emit(u, v);
    }
  });
  return graph;
}

/// One whose edges begin at a vertex.
template <Executor E>
CsrGraph graph_of(E& e, const Web& web) {
  constexpr Index block = 1024;
  CsrGraph graph;
  graph.vertices = web.vertices();
  graph.directed = true;
  const Index n = graph.vertices;
  graph.out = build_csr(e, n, (n + block - 1) / block, false, true, [&](Index b, auto&& emit) {
    for (Index v = b * block; v < std::min(n, (b + 1) * block); ++v) {
      const auto from = static_cast<Vertex>(v);
      const Index links = web.links_on(from);
      for (Index i = 0; i < links; ++i) emit(from, web.link(from, i));
    }
  });
  graph.transposed = transpose(e, graph.out, n);
  return graph;
}

/// One whose vertices know their larger neighbours.
template <Executor E>
CsrGraph graph_of(E& e, const Roads& roads) {
  constexpr Index block = 256;
  CsrGraph graph;
  graph.vertices = roads.vertices();
  const Index n = graph.vertices;
  graph.out = build_csr(e, n, (n + block - 1) / block, true, true, [&](Index b, auto&& emit) {
    for (Index v = b * block; v < std::min(n, (b + 1) * block); ++v) {
      const auto from = static_cast<Vertex>(v);
      roads.larger_neighbours(from, [&](Vertex to) { emit(from, to); });
    }
  });
  return graph;
}

}  // namespace charm::workloads
