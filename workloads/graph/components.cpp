// Kernel: connected components
//
// Returns labels (see components.hpp).
//
// Algorithm: Afforest, with a sample of edges that needs no atomic operations. Every vertex is hung below its first
// neighbour, which is its smallest, if that is smaller than itself; what are roots then hang themselves below the root
// of one of their first neighbours. That joins most of a graph with a giant component. A sample tells the component's
// label, and only vertices outside of it look at their edges, until one has brought them into it. In a directed graph
// they look at all their in-edges too, since the skipped side may be the only one to hold an edge. The paper links two
// neighbours of every vertex instead; that took 1.3 to 2 times as long here, for most links were of vertices that were
// together already.
//
// Encoding: label[v] <= v always, and label[v] == v for roots, so following labels ends and links cannot close a cycle.
//
// M. Sutton, T. Ben-Nun, A. Barak, "Optimizing parallel graph connectivity computation via subgraph sampling", IPDPS
// 2018.
#include "workloads/graph/components.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>

#include "workloads/executor/all.hpp"
#include "workloads/executor/parts.hpp"
#include "workloads/graph/random.hpp"
#include "workloads/relaxed.hpp"

namespace charm::workloads {
namespace {

constexpr Index components_grain = 4096;
constexpr Index sampled_neighbours = 16;
constexpr Index fetched_ahead = 24;    ///< how many vertices before its turn the memory for a vertex is fetched
constexpr Index components_word = 64;  ///< bits

/// Joins the trees of u and v: the larger root is hung below the smaller. Returns whether they were apart.
bool link(Vertex u, Vertex v, Array<Vertex>& label) {
  Vertex a = load(label[u]);
  Vertex b = load(label[v]);
  while (a != b) {
    Vertex high = std::max(a, b);
    Vertex low = std::min(a, b);
    Vertex above = load(label[high]);
    if (above == low) return false;
    if (above == high && exchange_if(label[high], above, low)) return true;
    a = load(label[above]);
    b = load(label[low]);
  }
  return false;
}

Vertex root_of(Vertex v, const Array<Vertex>& label) {
  for (Vertex above = load(label[v]); above != v; above = load(label[v])) v = above;
  return v;
}

/// Calls f(v) for the v of [lo, hi) that `wanted` holds for: the answers are collected in words first, because they
/// are as good as random and a branch on each would be mispredicted. Their lists are fetched together.
template <class Wanted, class F>
void for_those(const Csr& lists, Index lo, Index hi, Wanted&& wanted, F&& f) {
  for (Index first = lo; first < hi; first += components_word) {
    const Index last = std::min(hi, first + components_word);
    std::uint64_t mask = 0;
    for (Index v = first; v < last; ++v) mask |= static_cast<std::uint64_t>(wanted(v)) << (v - first);
    for (std::uint64_t left = mask; left != 0; left &= left - 1)
      __builtin_prefetch(lists.neighbours.data() + lists.offsets[first + std::countr_zero(left)]);
    for (; mask != 0; mask &= mask - 1) f(first + std::countr_zero(mask));
  }
}

/// Every vertex below its first neighbour if that is smaller: the smallest, because lists are ascending.
void hang_block(const Csr& out, Array<Vertex>& label, Index lo, Index hi) {
  const Index end = out.neighbours.size() - 1;
  for (Index v = lo; v < hi; ++v) {
    __builtin_prefetch(out.neighbours.data() + out.offsets[std::min(v + fetched_ahead, hi)]);
    const Index first = out.offsets[v];
    const Vertex smallest = out.neighbours[std::min(first, end)];  // of another vertex if this one has none
    const bool below = first < out.offsets[v + 1] && smallest < v;
    store(label[v], below ? smallest : static_cast<Vertex>(v));
  }
}

/// Every vertex below its root.
void flatten_block(Array<Vertex>& label, Index lo, Index hi) {
  for (Index v = lo; v < hi; ++v) {
    __builtin_prefetch(&label[load(label[std::min(v + fetched_ahead, hi - 1)])]);
    store(label[v], root_of(load(label[v]), label));
  }
}

/// Hangs roots below the root of one of their first neighbours. A root is written by the owner of its block alone, and
/// only with a smaller vertex, so this needs no exchanges; in an undirected graph a neighbour's root is never larger.
/// Returns whether any was.
bool hang_roots(const Csr& out, Array<Vertex>& label, Index lo, Index hi) {
  bool any = false;
  for_those(
      out, lo, hi, [&](Index v) { return load(label[v]) == v && out.degree(v) > 0; },
      [&](Index v) {
        const Index last = std::min(out.offsets[v + 1], out.offsets[v] + sampled_neighbours);
        for (Index i = out.offsets[v]; i < last; ++i) {
          const Vertex root = root_of(out.neighbours[i], label);
          if (root >= v) continue;
          store(label[v], root);
          any = true;
          return;
        }
      });
  return any;
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

/// Links a vertex with its neighbours, until it is in the same tree as `giant`: then the vertices at the other ends of
/// the rest are either there, too, or link themselves. Returns whether it is; `any` becomes true if trees were joined.
bool link_until(Vertex giant, Index v, std::span<const Vertex> neighbours, Array<Vertex>& label, bool& any) {
  const auto self = static_cast<Vertex>(v);
  auto joined = [&] { return root_of(self, label) == root_of(giant, label); };
  if (joined()) return true;
  for (Vertex u : neighbours) {
    any = link(self, u, label) || any;
    if (joined()) return true;
  }
  return false;
}

}  // namespace

template <Executor E>
Array<Vertex> components(E& e, const CsrGraph& whole) {
  const Index n = whole.vertices;
  auto label = array_placement_of(e).template split<Vertex>(n);
  if (n == 0) return label;
  auto loop = [&](auto&& body) { for_parts(e, n, components_grain, body); };
  if (whole.arcs() == 0) {
    loop([&](Index lo, Index hi) { std::iota(label.data() + lo, label.data() + hi, static_cast<Vertex>(lo)); });
    return label;
  }
  bool joined = false;  // since the labels were flat
  auto flatten = [&] {
    if (joined) loop([&](Index lo, Index hi) { flatten_block(label, lo, hi); });
    joined = false;
  };
  loop([&](Index lo, Index hi) { hang_block(whole.near(e).out, label, lo, hi); });
  loop([&](Index lo, Index hi) {
    flatten_block(label, lo, hi);
    if (hang_roots(whole.near(e).out, label, lo, hi)) store(joined, true);
  });
  flatten();
  const Vertex giant = frequent_label(label);
  loop([&](Index lo, Index hi) {
    const CsrGraph& graph = whole.near(e);
    bool any = false;
    for_those(
        graph.out, lo, hi,
        [&](Index v) { return load(label[v]) != giant && (graph.directed || graph.out.degree(v) > 0); },
        [&](Index v) {
          if (!link_until(giant, v, graph.out.of(v), label, any) && graph.directed)
            link_until(giant, v, graph.transposed.of(v), label, any);
        });
    if (any) store(joined, true);
  });
  flatten();
  return label;
}

#define CHARM_WORKLOADS_INSTANTIATE(Type) template Array<Vertex> components<Type>(Type&, const CsrGraph&);
CHARM_WORKLOADS_EXECUTORS(CHARM_WORKLOADS_INSTANTIATE)
#undef CHARM_WORKLOADS_INSTANTIATE

}  // namespace charm::workloads
