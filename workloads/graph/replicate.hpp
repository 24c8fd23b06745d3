// Copies of what kernels only read, one on every node that has workers (Memory::replicated): the graph and its
// weights. The first node's copy replaces the original.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "workloads/graph/csr.hpp"

namespace charm::workloads {

template <Executor E, class T>
Array<T> copy_to(E& e, int node, const Array<T>& from) {
  if (from.size() == 0) return {};
  auto to = ArrayPlacement::on<T>(node, from.size());
  constexpr Index grain = Index{1} << 18;
  e.parallel_for(0, from.size(), grain, [&](Index lo, Index hi) { std::copy_n(&from[lo], hi - lo, &to[lo]); });
  return to;
}

template <Executor E>
CsrGraph copy_to(E& e, int node, const CsrGraph& from) {
  CsrGraph copy;
  copy.vertices = from.vertices;
  copy.directed = from.directed;
  copy.node = node;
  copy.out = {copy_to(e, node, from.out.offsets), copy_to(e, node, from.out.neighbours)};
  copy.transposed = {copy_to(e, node, from.transposed.offsets), copy_to(e, node, from.transposed.neighbours)};
  return copy;
}

template <Executor E>
Weights copy_to(E& e, int node, const Weights& from) {
  Weights copy;
  copy.narrow = copy_to(e, node, from.narrow);
  copy.wide = copy_to(e, node, from.wide);
  copy.smallest = from.smallest;
  copy.largest = from.largest;
  copy.node = node;
  return copy;
}

/// Does nothing where memory is not to be replicated.
template <Executor E, class T>
void replicate(E& e, T& whole) {
  const ArrayPlacement& placement = array_placement_of(e);
  if (!placement.replicated()) return;
  T first = copy_to(e, placement.nodes().front(), whole);
  for (std::size_t i = 1; i < placement.nodes().size(); ++i)
    first.copies.push_back(copy_to(e, placement.nodes()[i], first));
  whole = std::move(first);
}

}  // namespace charm::workloads
