// Numberings of vertices (see order.hpp). Searches are sequential and start in each component from a vertex of the
// smallest degree, as E. Cuthill and J. McKee do ("Reducing the bandwidth of sparse symmetric matrices", ACM 1969).
#include "workloads/graph/order.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "workloads/executor/any.hpp"
#include "workloads/graph/build.hpp"
#include "workloads/graph/random.hpp"

namespace charm::workloads {
namespace {

/// Vertices in the order of their new numbers.
using Sequence = std::vector<Vertex>;

Index degree(const CsrGraph& graph, Index v) {
  return graph.out.degree(v) + (graph.directed ? graph.transposed.degree(v) : 0);
}

template <class F>
void for_neighbours(const CsrGraph& graph, Vertex v, F&& f) {
  for (Vertex u : graph.out.of(v)) f(u);
  if (graph.directed) {
    for (Vertex u : graph.transposed.of(v)) f(u);
  }
}

Sequence as_given(const CsrGraph& graph) {
  Sequence all(static_cast<std::size_t>(graph.vertices));
  std::iota(all.begin(), all.end(), Vertex{0});
  return all;
}

Sequence shuffled(const CsrGraph& graph, std::uint64_t seed) {
  Sequence all = as_given(graph);
  for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[random_at(seed, i) % i]);
  return all;
}

Sequence by_degree(const CsrGraph& graph) {
  Sequence all = as_given(graph);
  std::stable_sort(all.begin(), all.end(), [&](Vertex a, Vertex b) { return degree(graph, a) < degree(graph, b); });
  return all;
}

/// From both ends in turns: neighbours in the given order are far apart.
Sequence from_both_ends(const CsrGraph& graph) {
  Sequence all(static_cast<std::size_t>(graph.vertices));
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = static_cast<Vertex>(i % 2 == 0 ? i / 2 : all.size() - 1 - i / 2);
  return all;
}

/// \param degrees whether neighbours are taken by ascending degree.
Sequence breadth_first(const CsrGraph& graph, const Sequence& starts, bool degrees) {
  Sequence all;
  all.reserve(starts.size());
  std::vector<bool> taken(starts.size());
  auto take = [&](Vertex v) {
    if (taken[static_cast<std::size_t>(v)]) return;
    taken[static_cast<std::size_t>(v)] = true;
    all.push_back(v);
  };
  std::size_t next = 0;
  for (Vertex start : starts) {
    take(start);
    for (; next < all.size(); ++next) {
      const auto first = static_cast<std::ptrdiff_t>(all.size());
      for_neighbours(graph, all[next], take);
      if (degrees) {
        std::stable_sort(all.begin() + first, all.end(),
                         [&](Vertex a, Vertex b) { return degree(graph, a) < degree(graph, b); });
      }
    }
  }
  return all;
}

Sequence depth_first(const CsrGraph& graph, const Sequence& starts) {
  Sequence all;
  all.reserve(starts.size());
  std::vector<bool> taken(starts.size());
  std::vector<std::pair<Vertex, Index>> path;  // with how many of its neighbours were looked at
  auto take = [&](Vertex v) {
    if (taken[static_cast<std::size_t>(v)]) return;
    taken[static_cast<std::size_t>(v)] = true;
    all.push_back(v);
    path.emplace_back(v, 0);
  };
  for (Vertex start : starts) {
    take(start);
    while (!path.empty()) {
      auto& [v, seen] = path.back();
      const Index here = seen++;
      const Index outside = graph.out.degree(v);
      if (here < outside) {
        take(graph.out.of(v)[static_cast<std::size_t>(here)]);
      } else if (here < degree(graph, v)) {
        take(graph.transposed.of(v)[static_cast<std::size_t>(here - outside)]);
      } else {
        path.pop_back();
      }
    }
  }
  return all;
}

Sequence sequence_of(VertexOrder order, const CsrGraph& graph, std::uint64_t seed) {
  switch (order) {
    case VertexOrder::random:
      return shuffled(graph, seed);
    case VertexOrder::degree_up:
    case VertexOrder::degree_down:
      return by_degree(graph);
    case VertexOrder::bfs:
    case VertexOrder::bfs_reverse:
      return breadth_first(graph, as_given(graph), false);
    case VertexOrder::cuthill_mckee:
    case VertexOrder::reverse_cuthill_mckee:
      return breadth_first(graph, by_degree(graph), true);
    case VertexOrder::dfs:
    case VertexOrder::dfs_reverse:
      return depth_first(graph, as_given(graph));
    case VertexOrder::zigzag:
      return from_both_ends(graph);
    case VertexOrder::given:
    case VertexOrder::reverse:
      break;
  }
  return as_given(graph);
}

bool is_reversed(VertexOrder order) {
  return order == VertexOrder::reverse || order == VertexOrder::degree_down || order == VertexOrder::bfs_reverse ||
         order == VertexOrder::reverse_cuthill_mckee || order == VertexOrder::dfs_reverse;
}

}  // namespace

VertexOrder vertex_order_named(std::string_view name) {
  const auto found = std::find(vertex_order_names.begin(), vertex_order_names.end(), name);
  if (found == vertex_order_names.end()) {
    throw Error(Errc::bad_config, fmt::format("order '{}' is unknown", name),
                fmt::format("choose among {}", fmt::join(vertex_order_names, ", ")));
  }
  return static_cast<VertexOrder>(found - vertex_order_names.begin());
}

std::vector<Vertex> numbers_in(VertexOrder order, const CsrGraph& graph, std::uint64_t seed) {
  const Sequence sequence = sequence_of(order, graph, mix(seed ^ 0x6f72646572U));
  std::vector<Vertex> numbers(sequence.size());
  const bool reversed = is_reversed(order);
  for (std::size_t i = 0; i < sequence.size(); ++i)
    numbers[static_cast<std::size_t>(sequence[i])] = static_cast<Vertex>(reversed ? sequence.size() - 1 - i : i);
  return numbers;
}

CsrGraph renumbered(AnyExecutor e, const CsrGraph& graph, const std::vector<Vertex>& numbers) {
  constexpr Index block = 1024;
  const Index n = graph.vertices;
  CsrGraph other;
  other.vertices = n;
  other.directed = graph.directed;
  other.out = build_csr(e, n, (n + block - 1) / block, false, false, [&](Index b, auto&& emit) {
    for (Index v = b * block; v < std::min(n, (b + 1) * block); ++v) {
      for (Vertex to : graph.out.of(v))
        emit(numbers[static_cast<std::size_t>(v)], numbers[static_cast<std::size_t>(to)]);
    }
  });
  if (graph.directed) other.transposed = transpose(e, other.out, n);
  return other;
}

}  // namespace charm::workloads
