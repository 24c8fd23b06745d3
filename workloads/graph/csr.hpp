// A graph in memory: compressed sparse rows with 32-bit vertices and 64-bit offsets, as GAPBS keeps it.
// Invariants: neighbours of a vertex are ascending, without itself and without repeats; in an undirected graph every
// edge stands at both of its ends. Weights are a separate array in the order of the out-neighbours, of one byte where
// they fit: kernels without weights do not pay for them, and SSSP reads 5 bytes an edge instead of 8.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "workloads/array.hpp"
#include "workloads/executor/concept.hpp"

namespace charm::workloads {

using Vertex = std::int32_t;
constexpr Index max_vertices = 2147483647;

struct Csr {
  Array<Index> offsets;  ///< vertices + 1 of them
  Array<Vertex> neighbours;

  [[nodiscard]] Index degree(Index v) const { return offsets[v + 1] - offsets[v]; }
  [[nodiscard]] std::span<const Vertex> of(Index v) const {
    return {neighbours.data() + offsets[v], static_cast<std::size_t>(degree(v))};
  }
};

struct Weights {
  Array<std::uint8_t> narrow;  ///< when no weight is above 255
  Array<std::uint32_t> wide;   ///< otherwise
  std::uint32_t smallest = 0;
  std::uint32_t largest = 0;

  [[nodiscard]] bool empty() const { return narrow.size() == 0 && wide.size() == 0; }
  /// Calls f with a pointer to the weights in their type.
  template <class F>
  decltype(auto) visit(F&& f) const {
    return wide.size() > 0 ? f(wide.data()) : f(narrow.data());
  }
  [[nodiscard]] std::uint32_t operator[](Index i) const { return wide.size() > 0 ? wide[i] : narrow[i]; }
};

struct CsrGraph {
  Index vertices = 0;
  bool directed = false;
  Csr out;
  Csr transposed;  ///< only for a directed graph

  [[nodiscard]] const Csr& in() const { return directed ? transposed : out; }
  [[nodiscard]] Index arcs() const { return out.neighbours.size(); }
  [[nodiscard]] Index edges() const { return directed ? arcs() : arcs() / 2; }
};

}  // namespace charm::workloads
