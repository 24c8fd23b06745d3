// Kernel: triangle counting
//
// Algorithm: every triangle is found from its largest vertex v: v's smaller neighbours are marked in a bitmap of the
// worker, and then the smaller neighbours of each are looked up in it. Nothing branches on what is found. Where degrees
// differ much, vertices are numbered by descending degree first, so that the hubs, which are in most lists, have short
// lists of smaller neighbours and their bits lie together.
//
// Whether to number them is decided from a sample, as in the GAP benchmark suite.
//
// Ordering by degree: T. Schank, D. Wagner, "Finding, counting and listing all triangles in large graphs, an
// experimental study", WEA 2005.
#include "workloads/graph/triangles.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <vector>

#include "workloads/executor/all.hpp"
#include "workloads/executor/parts.hpp"
#include "workloads/graph/build.hpp"
#include "workloads/graph/random.hpp"

namespace charm::workloads {
namespace {

constexpr Index triangle_grain = 64;
constexpr Index triangle_word = 64;  ///< bits
constexpr Index worth_numbering_degree = 10;

bool worth_numbering(const CsrGraph& graph) {
  const Index average = graph.arcs() / graph.vertices;
  if (average < worth_numbering_degree) return false;
  std::array<Index, 1000> sample;
  Index total = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const std::uint64_t v = random_at(0x7463U, i) % static_cast<std::uint64_t>(graph.vertices);
    total += sample[i] = graph.out.degree(static_cast<Index>(v));
  }
  std::nth_element(sample.begin(), sample.begin() + sample.size() / 2, sample.end());
  const double mean = static_cast<double>(total) / static_cast<double>(sample.size());
  return mean / 1.3 > static_cast<double>(sample[sample.size() / 2]);
}

/// The new number of each vertex: that of the largest degree is 0.
Array<Vertex> by_descending_degree(const CsrGraph& graph, Array<Vertex>& sequence) {
  const Index n = graph.vertices;
  Index largest = 0;
  for (Index v = 0; v < n; ++v) largest = std::max(largest, graph.out.degree(v));
  std::vector<Index> at(static_cast<std::size_t>(largest) + 2);
  for (Index v = 0; v < n; ++v) ++at[static_cast<std::size_t>(largest - graph.out.degree(v)) + 1];
  for (std::size_t d = 1; d < at.size(); ++d) at[d] += at[d - 1];
  Array<Vertex> numbers(n);
  for (Index v = 0; v < n; ++v) {
    const Index number = at[static_cast<std::size_t>(largest - graph.out.degree(v))]++;
    numbers[v] = static_cast<Vertex>(number);
    sequence[number] = static_cast<Vertex>(v);
  }
  return numbers;
}

/// The smaller neighbours of every vertex in the new numbering, in no order.
template <Executor E>
Csr smaller_neighbours(E& e, const CsrGraph& graph) {
  const Index n = graph.vertices;
  Array<Vertex> sequence(n);
  const Array<Vertex> numbers = by_descending_degree(graph, sequence);
  Csr smaller;
  smaller.offsets = array_placement_of(e).template split<Index>(n + 1);
  smaller.offsets[0] = 0;
  for_parts(e, n, triangle_grain, [&](Index lo, Index hi) {
    for (Index v = lo; v < hi; ++v) {
      Index count = 0;
      for (Vertex u : graph.near(e).out.of(sequence[v])) count += numbers[u] < v ? 1 : 0;
      smaller.offsets[v + 1] = count;
    }
  });
  prefix_sum(e, smaller.offsets);
  smaller.neighbours = smaller.along<Vertex>(array_placement_of(e));
  for_parts(e, n, triangle_grain, [&](Index lo, Index hi) {
    for (Index v = lo; v < hi; ++v) {
      Index at = smaller.offsets[v];
      for (Vertex u : graph.near(e).out.of(sequence[v])) {
        if (numbers[u] < v) smaller.neighbours[at++] = numbers[u];
      }
    }
  });
  return smaller;
}

/// \param smaller gives the smaller neighbours of a vertex.
template <Executor E, class Smaller>
std::uint64_t count_triangles(E& e, Index n, Smaller&& smaller) {
  std::vector<std::vector<std::uint64_t>> marks(static_cast<std::size_t>(e.workers()));
  return e.parallel_reduce(
      0, n, triangle_grain, std::uint64_t{0},
      [&](Index lo, Index hi, std::uint64_t count) {
        auto& marked = marks[static_cast<std::size_t>(e.worker())];
        if (marked.empty()) marked.resize(static_cast<std::size_t>((n + triangle_word - 1) / triangle_word));
        for (Index v = lo; v < hi; ++v) {
          const auto below = smaller(v);
          if (below.size() < 2) continue;
          for (Vertex u : below)
            marked[static_cast<std::size_t>(u / triangle_word)] |= std::uint64_t{1} << (u % triangle_word);
          for (Vertex u : below) {
            for (Vertex w : smaller(u))
              count += marked[static_cast<std::size_t>(w / triangle_word)] >> (w % triangle_word) & 1;
          }
          for (Vertex u : below) marked[static_cast<std::size_t>(u / triangle_word)] = 0;
        }
        return count;
      },
      std::plus<>());
}

}  // namespace

template <Executor E>
std::uint64_t triangles(E& e, const CsrGraph& graph) {
  if (graph.directed) {
    throw Error(Errc::bad_input, "triangles are counted in undirected graphs, and this one is directed",
                "read its edges in both directions");
  }
  if (graph.arcs() == 0) return 0;
  if (worth_numbering(graph)) {
    const Csr smaller = smaller_neighbours(e, graph);
    return count_triangles(e, graph.vertices, [&](Index v) { return smaller.of(v); });
  }
  Array<Vertex> below(graph.vertices);  // how many of a vertex's neighbours are smaller
  for_parts(e, graph.vertices, triangle_grain, [&](Index lo, Index hi) {
    for (Index v = lo; v < hi; ++v) {
      const auto all = graph.out.of(v);
      below[v] = static_cast<Vertex>(std::lower_bound(all.begin(), all.end(), v) - all.begin());
    }
  });
  return count_triangles(e, graph.vertices,
                         [&](Index v) { return graph.out.of(v).first(static_cast<std::size_t>(below[v])); });
}

#define CHARM_WORKLOADS_INSTANTIATE(Type) template std::uint64_t triangles<Type>(Type&, const CsrGraph&);
CHARM_WORKLOADS_EXECUTORS(CHARM_WORKLOADS_INSTANTIATE)
#undef CHARM_WORKLOADS_INSTANTIATE

}  // namespace charm::workloads
