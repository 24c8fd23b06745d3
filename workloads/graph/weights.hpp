// Weights drawn for graphs that have none: 1 to 255 as in GAPBS, a function of the seed and the edge's two ends, so
// that both directions of an undirected edge weigh the same and nothing depends on the number of workers.
#pragma once

#include <algorithm>

#include "workloads/executor/parts.hpp"
#include "workloads/graph/csr.hpp"
#include "workloads/graph/random.hpp"

namespace charm::workloads {

inline std::uint8_t drawn_weight(std::uint64_t seed, Vertex u, Vertex v) {
  auto low = static_cast<std::uint64_t>(std::min(u, v));
  auto high = static_cast<std::uint64_t>(std::max(u, v));
  return static_cast<std::uint8_t>(1 + (random_at(seed, high << 32 | low) >> 32) % 255);
}

template <Executor E>
Weights draw_weights(E& e, const CsrGraph& graph, std::uint64_t seed) {
  Weights weights;
  weights.narrow = graph.along_arcs<std::uint8_t>(array_placement_of(e));
  weights.smallest = 1;
  weights.largest = 255;
  const std::uint64_t key = mix(seed ^ 0x77656967687473U);
  for_parts(e, graph.vertices, 512, [&](Index lo, Index hi) {
    for (Index u = lo; u < hi; ++u) {
      for (Index i = graph.out.offsets[u]; i < graph.out.offsets[u + 1]; ++i) {
        weights.narrow[i] = drawn_weight(key, static_cast<Vertex>(u), graph.out.neighbours[i]);
      }
    }
  });
  return weights;
}

}  // namespace charm::workloads
