// Graph files into CSR and weights (see load.hpp). Text is parsed by all workers, a block at a time; edges stay in the
// pieces that workers made of it, in the order of the file, until the CSR is built.
#include "workloads/graph/load.hpp"

#include <charm/page_block.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "workloads/executor/any.hpp"
#include "workloads/graph/build.hpp"
#include "workloads/graph/edge_file.hpp"
#include "workloads/graph/serialized_file.hpp"

namespace charm::workloads {
namespace {

constexpr double heaviest_usable = 2147483647.0;

/// Reads the whole file; `use` gets every piece in file order after it has been checked.
template <Executor E, class File, class Use>
void read_edges(E& e, File& file, bool want_weights, Use&& use) {
  for (;;) {
    auto pieces = file.next(static_cast<std::size_t>(e.workers()) * 4);
    if (pieces.empty()) break;
    e.parallel_for(0, static_cast<Index>(pieces.size()), 1, [&](Index lo, Index hi) {
      for (Index i = lo; i < hi; ++i) file.parse(pieces[static_cast<std::size_t>(i)], want_weights);
    });
    file.check(pieces);
    use(pieces);
  }
  file.finish();
}

/// What the graph needs while it is built: offsets of vertices, and an edge in both directions twice.
void require_graph(const InputFile& input, Index vertices, Index edges, bool directed) {
  input.require(static_cast<double>(vertices) * (directed ? 20.0 : 12.0) + static_cast<double>(edges) * 16.0,
                fmt::format("{} vertices and {} edges", vertices, edges), "number the vertices from 0 without gaps");
}

template <class F>
decltype(auto) with_file(const InputFile& input, F&& f) {
  if (SerializedFile::is_named(input.path())) {
    SerializedFile file(input.path());
    return f(file);
  }
  EdgeFile file(input);
  return f(file);
}

template <Executor E, class File>
Loaded load_from(E& e, File& file, const InputFile& input, bool undirected) {
  Loaded loaded;
  auto& column = loaded.weights;
  bool whole = true;
  std::vector<std::vector<Edge>> chunks;
  Index edges = 0;
  read_edges(e, file, false, [&](std::vector<Piece>& pieces) {
    for (auto& piece : pieces) {
      if (piece.edges.empty()) continue;
      edges += static_cast<Index>(piece.edges.size());
      if (piece.weighted != nullptr) {
        column.smallest = column.present ? std::min(column.smallest, piece.lightest) : piece.lightest;
        column.largest = column.present ? std::max(column.largest, piece.heaviest) : piece.heaviest;
        column.present = true;
        whole = whole && piece.whole;
      }
      chunks.push_back(std::move(piece.edges));
    }
    require_graph(input, 0, edges, !undirected);  // gzip may hold a thousand times as much as its size tells
  });
  column.usable = column.present && whole && column.smallest >= 0 && column.largest <= heaviest_usable;
  auto& graph = loaded.graph;
  graph.vertices = file.vertices();
  graph.directed = !undirected && !file.symmetric();
  require_graph(input, graph.vertices, edges, graph.directed);
  graph.out =
      build_csr(e, graph.vertices, static_cast<Index>(chunks.size()), !graph.directed, true, [&](Index b, auto&& emit) {
        for (const Edge& edge : chunks[static_cast<std::size_t>(b)]) emit(edge.from, edge.to);
      });
  std::vector<std::vector<Edge>>().swap(chunks);
  if (const auto promised = file.undirected_edges(); promised && *promised != graph.edges()) {
    throw Error(Errc::bad_input,
                fmt::format("{}: {} edges are said to be at both of their ends, and {} different ones are at one",
                            input.path(), *promised, graph.edges()),
                "put every edge at both of its ends, once, and leave out loops");
  }
  if (graph.directed) graph.transposed = transpose(e, graph.out, graph.vertices);
  return loaded;
}

}  // namespace

Loaded load_graph(AnyExecutor e, const InputFile& input, bool undirected) {
  return with_file(input, [&](auto& file) { return load_from(e, file, input, undirected); });
}

Weights load_weights(AnyExecutor e, const InputFile& input, const Loaded& loaded) {
  const auto& graph = loaded.graph;
  Weights weights;
  weights.smallest = static_cast<std::uint32_t>(loaded.weights.smallest);
  weights.largest = static_cast<std::uint32_t>(loaded.weights.largest);
  const bool narrow = weights.largest <= 255;
  if (narrow) {
    weights.narrow = graph.along_arcs<std::uint8_t>(array_placement_of(e));
  } else {
    weights.wide = graph.along_arcs<std::uint32_t>(array_placement_of(e));
  }
  e.parallel_for(0, graph.arcs(), 1 << 18, [&](Index lo, Index hi) {
    if (narrow) {
      std::fill(weights.narrow.data() + lo, weights.narrow.data() + hi, std::uint8_t{255});
    } else {
      std::fill(weights.wide.data() + lo, weights.wide.data() + hi, weights.largest);
    }
  });
  std::atomic<bool> changed{false};
  auto lay = [&](Vertex from, Vertex to, double weight) {
    auto list = graph.out.of(from);
    auto at = std::lower_bound(list.begin(), list.end(), to);
    if (at == list.end() || *at != to) return changed.store(true, std::memory_order_relaxed);
    const Index i = graph.out.offsets[from] + (at - list.begin());
    if (narrow) {
      fetch_min(weights.narrow[i], static_cast<std::uint8_t>(weight));
    } else {
      fetch_min(weights.wide[i], static_cast<std::uint32_t>(weight));
    }
  };
  auto lay_all = [&](std::vector<Piece>& pieces) {
    for (const auto& piece : pieces) {
      if (piece.lightest < loaded.weights.smallest || piece.heaviest > loaded.weights.largest || !piece.whole)
        changed = true;
    }
    if (changed) return;
    e.parallel_for(0, static_cast<Index>(pieces.size()), 1, [&](Index lo, Index hi) {
      for (Index p = lo; p < hi; ++p) {
        const auto& piece = pieces[static_cast<std::size_t>(p)];
        for (std::size_t i = 0; i < piece.edges.size(); ++i) {
          auto [from, to] = piece.edges[i];
          if (from == to) continue;
          if (std::max(from, to) >= graph.vertices) {
            changed.store(true, std::memory_order_relaxed);
            continue;
          }
          if (!loaded.numbers.empty()) {
            from = loaded.numbers[static_cast<std::size_t>(from)];
            to = loaded.numbers[static_cast<std::size_t>(to)];
          }
          lay(from, to, piece.weights[i]);
          if (!graph.directed) lay(to, from, piece.weights[i]);
        }
      }
    });
  };
  with_file(input, [&](auto& file) { read_edges(e, file, true, lay_all); });
  if (changed) {
    throw Error(Errc::bad_input, fmt::format("{}: the file has changed since its edges were read", input.path()),
                "run again");
  }
  return weights;
}

}  // namespace charm::workloads
