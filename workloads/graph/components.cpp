// Kernel: connected components
//
// Returns labels (see components.hpp).
//
// Algorithm: Afforest, with a sample of edges that mostly needs no atomic operations. Every vertex is hung below its
// first neighbour, which is its smallest, if that is smaller than itself; what are roots then hang themselves below the
// root of one of their first neighbours. That joins most of a graph with a giant component; where it does not, every
// vertex is linked with another neighbour. A sample tells the giant component's label, and only vertices outside of it
// look at their edges, until one has brought them into it. In a directed graph they look at all their in-edges too,
// since the skipped side may be the only one to hold an edge. The paper links two neighbours of every vertex in any
// case; that took 1.3 to 2 times as long on Kronecker graphs, for most links were of vertices that were together
// already. In a graph with few edges a vertex there is little to skip, unless its order is such that hanging vertices
// has left few roots: all edges are linked in one pass.
//
// Encoding: label[v] <= v always, and label[v] == v for roots, so following labels ends and links cannot close a cycle.
// Whoever follows labels halves the way for those after him, so that following them takes O(log n) steps on average
// however vertices are numbered (Tarjan and van Leeuwen). A root becomes another vertex's child by an exchange, or by
// its block's owner alone where nobody else hangs roots; from then on it stays one.
//
// M. Sutton, T. Ben-Nun, A. Barak, "Optimizing parallel graph connectivity computation via subgraph sampling", IPDPS
// 2018. R. Tarjan, J. van Leeuwen, "Worst-case analysis of set union algorithms", J. ACM 31 (1984).
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
constexpr std::size_t sample_size = 1024;
constexpr double giant_share = .25;     ///< with less, more neighbours are linked
constexpr Index sparse_degree = 6;      ///< up to which all edges are linked at once
constexpr Index few_roots = 64;         ///< vertices for each root, where hanging vertices has joined nearly all
constexpr Index linked_neighbours = 2;  ///< of every vertex at most, besides its first

/// Halves the way from v to its root for those who come next. By exchanges: a store could come late and put v back
/// below a vertex that it was lifted from, when labels are already taken to be flat.
Vertex root_of(Vertex v, Array<Vertex>& label) {
  for (;;) {
    Vertex above = load(label[v]);
    if (above == v) return v;
    const Vertex next = load(label[above]);
    if (next == above) return above;
    exchange_if(label[v], above, next);
    v = next;
  }
}

/// Joins the trees of a and b by hanging a root below a smaller vertex of the other tree. Returns a vertex of the tree.
Vertex link(Vertex a, Vertex b, Array<Vertex>& label) {
  while (a != b) {
    if (a < b) std::swap(a, b);
    Vertex root = a;
    if (exchange_if(label[a], root, b)) return b;
    a = root_of(a, label);
  }
  return a;
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

/// Every vertex below its first neighbour if that is smaller: the smallest, because lists are ascending. Returns how
/// many have only larger neighbours.
Index hang_block(const Csr& out, Array<Vertex>& label, Index lo, Index hi) {
  Index roots = 0;
  const Index end = out.neighbours.size() - 1;
  for (Index v = lo; v < hi; ++v) {
    __builtin_prefetch(out.neighbours.data() + out.offsets[std::min(v + fetched_ahead, hi)]);
    const Index first = out.offsets[v];
    const Vertex smallest = out.neighbours[std::min(first, end)];  // of another vertex if this one has none
    const bool some = first < out.offsets[v + 1];
    const bool below = some && smallest < v;
    roots += some && !below ? 1 : 0;
    store(label[v], below ? smallest : static_cast<Vertex>(v));
  }
  return roots;
}

/// Every vertex below its root.
void flatten_block(Array<Vertex>& label, Index lo, Index hi) {
  for (Index v = lo; v < hi; ++v) {
    __builtin_prefetch(&label[load(label[std::min(v + fetched_ahead, hi - 1)])]);
    const Vertex above = load(label[v]);
    const Vertex root = root_of(above, label);
    if (root != above) store(label[v], root);
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

/// Links every vertex with its neighbour of that number. Returns whether any were apart.
bool link_neighbours(const Csr& out, Array<Vertex>& label, Index lo, Index hi, Index number) {
  bool any = false;
  const Index end = out.neighbours.size() - 1;
  for (Index v = lo; v < hi; ++v) {
    __builtin_prefetch(out.neighbours.data() + out.offsets[std::min(v + fetched_ahead, hi)]);
    const Index soon = out.offsets[std::min(v + fetched_ahead / 2, hi)] + number;
    __builtin_prefetch(&label[out.neighbours[std::min(soon, end)]]);
    const Index at = out.offsets[v] + number;
    if (at >= out.offsets[v + 1]) continue;
    const Vertex mine = load(label[v]);
    const Vertex other = load(label[out.neighbours[at]]);
    if (mine == other) continue;
    link(root_of(mine, label), root_of(other, label), label);
    any = true;
  }
  return any;
}

/// The label that most of a sample has: when there is a giant component, almost surely its.
struct Frequent {
  Vertex label = 0;
  double share = 1;  ///< of the sampled vertices with edges
};

Frequent frequent_label(const Csr& out, const Array<Vertex>& label) {
  std::array<Vertex, sample_size> sample;
  auto end = sample.begin();
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const auto v = static_cast<Index>(random_at(0, i) % static_cast<std::uint64_t>(label.size()));
    if (out.degree(v) > 0) *end++ = label[v];
  }
  std::sort(sample.begin(), end);
  Frequent frequent;
  std::ptrdiff_t most = 0;
  for (auto first = sample.begin(); first != end;) {
    const auto last = std::upper_bound(first, end, *first);
    if (last - first > most) {
      most = last - first;
      frequent.label = *first;
    }
    first = last;
  }
  if (most > 0) frequent.share = static_cast<double>(most) / static_cast<double>(end - sample.begin());
  return frequent;
}

/// Links every vertex with its smaller neighbours; in a directed graph with all, for it need not be among theirs.
void link_block(const CsrGraph& graph, Array<Vertex>& label, Index lo, Index hi) {
  for (Index v = lo; v < hi; ++v) {
    auto self = static_cast<Vertex>(v);
    for (Vertex u : graph.out.of(v)) {
      if (u > v && !graph.directed) break;
      self = link(self, root_of(u, label), label);
    }
  }
}

/// Links a vertex with its neighbours, until it is in the same tree as `giant`: then the vertices at the other ends of
/// the rest are either there, too, or link themselves. Returns whether it is; `any` becomes true if trees were joined.
bool link_until(Vertex giant, Index v, std::span<const Vertex> neighbours, Array<Vertex>& label, bool& any) {
  Vertex self = root_of(static_cast<Vertex>(v), label);
  auto joined = [&] {
    self = root_of(self, label);
    return self == root_of(giant, label);
  };
  if (joined()) return true;
  for (Vertex u : neighbours) {
    const Vertex other = root_of(u, label);
    if (other == self) continue;
    link(self, other, label);
    any = true;
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
  auto number_block = [&](Index lo, Index hi) {
    std::iota(label.data() + lo, label.data() + hi, static_cast<Vertex>(lo));
  };
  if (whole.arcs() == 0) {
    loop(number_block);
    return label;
  }
  const Index roots = reduce_parts(
      e, n, components_grain, Index{0},
      [&](Index lo, Index hi, Index found) { return found + hang_block(whole.near(e).out, label, lo, hi); },
      [](Index a, Index b) { return a + b; });
  if (whole.arcs() <= sparse_degree * n && roots > n / few_roots) {
    loop(number_block);
    loop([&](Index lo, Index hi) { link_block(whole.near(e), label, lo, hi); });
    loop([&](Index lo, Index hi) { flatten_block(label, lo, hi); });
    return label;
  }
  bool joined = false;  // since the labels were flat
  auto flatten = [&] {
    if (joined) loop([&](Index lo, Index hi) { flatten_block(label, lo, hi); });
    joined = false;
  };
  loop([&](Index lo, Index hi) {
    flatten_block(label, lo, hi);
    if (hang_roots(whole.near(e).out, label, lo, hi)) store(joined, true);
  });
  flatten();
  Frequent frequent = frequent_label(whole.out, label);
  for (Index number = 1; number <= linked_neighbours && frequent.share < giant_share; ++number) {
    loop([&](Index lo, Index hi) {
      if (link_neighbours(whole.near(e).out, label, lo, hi, number)) store(joined, true);
    });
    flatten();
    frequent = frequent_label(whole.out, label);
  }
  const Vertex giant = frequent.label;
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
