// A graph in memory: compressed sparse rows with 32-bit vertices and 64-bit offsets, as GAPBS keeps it.
// Invariants: neighbours of a vertex are ascending, without itself and without repeats; in an undirected graph every
// edge stands at both of its ends. Weights are a separate array in the order of the out-neighbours, of one byte where
// they fit: kernels without weights do not pay for them, and SSSP reads 5 bytes an edge instead of 8. On a machine with
// several NUMA nodes the lists of a range of vertices lie where loops over vertices run that range; with copies a node
// each, a kernel reads the copy near() its worker.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "workloads/array.hpp"
#include "workloads/executor/parts.hpp"

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
  /// For the variables of a loop.
  struct View {
    const Index* offsets;
    const Vertex* neighbours;

    [[nodiscard]] std::span<const Vertex> of(Index v) const {
      return {neighbours + offsets[v], static_cast<std::size_t>(offsets[v + 1] - offsets[v])};
    }
  };
  [[nodiscard]] View view() const { return {offsets.data(), neighbours.data()}; }
  /// An array with an element an arc, in the parts that the vertices are in.
  template <class T>
  [[nodiscard]] Array<T> along(const ArrayPlacement& placement) const {
    const Index vertices = offsets.size() - 1;
    if (!placement.in_parts()) return placement.shared<T>(offsets[vertices]);
    auto bounds = placement.bounds(vertices);
    for (Index& bound : bounds) bound = offsets[bound];
    return placement.split<T>(bounds);
  }
};

/// The one of `copies` that is on `node`, else `whole`, to which they belong.
template <class T>
const T& copy_on(int node, const T& whole, const std::vector<T>& copies) {
  for (const T& copy : copies) {
    if (copy.node == node) return copy;
  }
  return whole;  // NOLINT(bugprone-return-const-ref-from-parameter): never a temporary
}

struct Weights {
  Array<std::uint8_t> narrow;  ///< the weights, if none is above 255
  Array<std::uint32_t> wide;   ///< otherwise
  std::uint32_t smallest = 0;
  std::uint32_t largest = 0;
  std::vector<Weights> copies;  ///< copies on other nodes, as of a graph
  int node = -1;

  [[nodiscard]] const Weights& on(int wanted) const { return copy_on(wanted, *this, copies); }
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
  Csr transposed;                ///< only for a directed graph
  std::vector<CsrGraph> copies;  ///< copies on other nodes of what is only read; most graphs have none
  int node = -1;                 ///< id of the node that a copy is on

  /// The copy on a node, or this one.
  [[nodiscard]] const CsrGraph& on(int wanted) const { return copy_on(wanted, *this, copies); }
  /// The copy for the calling worker: for loop bodies.
  template <Executor E>
  [[nodiscard]] const CsrGraph& near(E& e) const {
    return copies.empty() ? *this : on(array_placement_of(e).node_of(e.worker()));
  }
  [[nodiscard]] const Csr& in() const { return directed ? transposed : out; }
  [[nodiscard]] Index arcs() const { return out.neighbours.size(); }
  [[nodiscard]] Index edges() const { return directed ? arcs() : arcs() / 2; }
  /// An array with an element an arc of `out`.
  template <class T>
  [[nodiscard]] Array<T> along_arcs(const ArrayPlacement& placement) const {
    return vertices == 0 ? Array<T>(0) : out.along<T>(placement);
  }
};

}  // namespace charm::workloads
