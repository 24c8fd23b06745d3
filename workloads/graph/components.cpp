// Kernel: connected components
//
// Returns labels (see components.hpp).
//
// Algorithm: Afforest. Trees of labels are linked over the first two neighbours of every vertex, which joins most of a
// graph with a giant component; a sample tells that component's label, and only vertices outside of it look at their
// remaining edges. In a directed graph these look at all their in-edges too, since the skipped side may be the only one
// to hold an edge.
//
// Encoding: label[v] <= v always, and label[v] == v for roots, so following labels ends and links cannot close a cycle.
//
// M. Sutton, T. Ben-Nun, A. Barak, "Optimizing parallel graph connectivity computation via subgraph sampling", IPDPS
// 2018.
#include "workloads/graph/components.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "workloads/executor/all.hpp"
#include "workloads/executor/parts.hpp"
#include "workloads/graph/random.hpp"
#include "workloads/relaxed.hpp"

namespace charm::workloads {
namespace {

constexpr Index components_grain = 4096;
constexpr Index sampled_neighbours = 2;

/// Joins the trees of u and v: the larger root is hung below the smaller.
void link(Vertex u, Vertex v, Array<Vertex>& label) {
  Vertex a = load(label[u]);
  Vertex b = load(label[v]);
  while (a != b) {
    Vertex high = std::max(a, b);
    Vertex low = std::min(a, b);
    Vertex above = load(label[high]);
    if (above == low) return;
    if (above == high && exchange_if(label[high], above, low)) return;
    a = load(label[load(label[high])]);
    b = load(label[low]);
  }
}

template <Executor E>
void flatten(E& e, Array<Vertex>& label) {
  for_parts(e, label.size(), components_grain, [&](Index lo, Index hi) {
    for (Index v = lo; v < hi; ++v) {
      Vertex root = load(label[v]);
      for (Vertex above = load(label[root]); above != root; above = load(label[root])) root = above;
      store(label[v], root);
    }
  });
}

/// The label that most of a sample has: when there is a giant component, almost surely its.
Vertex frequent_label(const Array<Vertex>& label) {
  std::array<Vertex, 1024> sample;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    sample[i] = label[static_cast<Index>(random_at(0, i) % static_cast<std::uint64_t>(label.size()))];
  }
  std::sort(sample.begin(), sample.end());
  Vertex best = sample[0];
  std::ptrdiff_t most = 0;
  for (auto first = sample.begin(); first != sample.end();) {
    auto last = std::upper_bound(first, sample.end(), *first);
    if (last - first > most) {
      most = last - first;
      best = *first;
    }
    first = last;
  }
  return best;
}

}  // namespace

template <Executor E>
Array<Vertex> components(E& e, const CsrGraph& whole) {
  const Index n = whole.vertices;
  auto label = array_placement_of(e).template split<Vertex>(n);
  if (n == 0) return label;
  for_parts(e, n, components_grain, [&](Index lo, Index hi) {
    for (Index v = lo; v < hi; ++v) label[v] = static_cast<Vertex>(v);
  });
  for (Index k = 0; k < sampled_neighbours; ++k) {
    for_parts(e, n, components_grain, [&](Index lo, Index hi) {
      const CsrGraph& graph = whole.near(e);
      for (Index v = lo; v < hi; ++v) {
        if (k < graph.out.degree(v))
          link(static_cast<Vertex>(v), graph.out.neighbours[graph.out.offsets[v] + k], label);
      }
    });
    flatten(e, label);
  }
  const Vertex giant = frequent_label(label);
  for_parts(e, n, components_grain, [&](Index lo, Index hi) {
    const CsrGraph& graph = whole.near(e);
    for (Index v = lo; v < hi; ++v) {
      if (load(label[v]) == giant) continue;
      for (Index i = graph.out.offsets[v] + sampled_neighbours; i < graph.out.offsets[v + 1]; ++i) {
        link(static_cast<Vertex>(v), graph.out.neighbours[i], label);
      }
      if (!graph.directed) continue;
      for (Vertex u : graph.transposed.of(v)) link(static_cast<Vertex>(v), u, label);
    }
  });
  flatten(e, label);
  return label;
}

#define CHARM_WORKLOADS_INSTANTIATE(Type) template Array<Vertex> components<Type>(Type&, const CsrGraph&);
CHARM_WORKLOADS_EXECUTORS(CHARM_WORKLOADS_INSTANTIATE)
#undef CHARM_WORKLOADS_INSTANTIATE

}  // namespace charm::workloads
