// Timed and validated trials on several ranks.
#include "workloads/ranks/rank_bench.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "workloads/graph/build.hpp"
#include "workloads/graph/graph500.hpp"
#include "workloads/graph/kronecker.hpp"
#include "workloads/graph/sources.hpp"
#include "workloads/names.hpp"
#include "workloads/ranks/graph.hpp"
#include "workloads/ranks/together.hpp"
#include "workloads/trial.hpp"

namespace charm::workloads {
namespace {

constexpr double pagerank_tolerance = 1e-4;
constexpr int pagerank_most = 1000;
constexpr int graph500_roots = 64;

Trial search(CharmExecutor& e, const RankGraph::Data& graph, Vertex source) {
  Trial trial;
  Array<Vertex> parent;
  trial.seconds = seconds_of_ranks([&] { parent = bfs_on_ranks(e, graph, source); });
  share_parts(parent, graph.rows);
  Reached mine;
  trial.wrong = first_complaint(validate_bfs_part(e, graph.part, graph.first, source, parent, mine));
  const Index vertices = sum_of_ranks(mine.vertices);
  trial.work = static_cast<double>(sum_of_ranks(mine.edges)) / 2;
  trial.detail = fmt::format("source {} reaches {} vertices", source, vertices);
  return trial;
}

Trial searches(CharmExecutor& e, const RankGraph::Data& graph) {
  Trial total;
  std::vector<SearchTime> all;
  const auto usable = [&](Vertex v) { return graph.arcs == 0 || graph.has_edges(v); };
  for (const Vertex root : pick_different_sources(graph.rows.size(), usable, graph500_roots)) {
    Trial one = search(e, graph, root);
    total.seconds += one.seconds;
    total.work += one.work;
    if (total.wrong.empty() && !one.wrong.empty()) total.wrong = fmt::format("root {}: {}", root, one.wrong);
    all.push_back({one.seconds, one.work});
  }
  total.detail = describe(teps_statistics(all), all.size());
  return total;
}

Trial scores(CharmExecutor& e, const RankGraph::Data& graph) {
  Trial trial;
  RankScores result;
  trial.seconds = seconds_of_ranks([&] { result = pagerank_on_ranks(e, graph, pagerank_tolerance, pagerank_most); });
  trial.wrong = validate_pagerank_on_ranks(e, graph, result, pagerank_tolerance);
  trial.work = static_cast<double>(graph.arcs) / 2 * result.iterations;
  trial.detail = fmt::format("{} iterations, the last changed {:.2g}", result.iterations, result.change);
  return trial;
}

}  // namespace

RankGraph::RankGraph(const GenerateOptions& options) : data_(std::make_unique<Data>()) {
  generated_bytes(options);  // checks the options
  const Kronecker kronecker(options.scale, options.degree, options.seed);
  CharmExecutor e;
  Data& data = *data_;
  data.rows = Division(kronecker.vertices(), word_of_bits, remote::ranks());
  const Index first = data.rows.begin(remote::rank());
  const Index end = data.rows.end(remote::rank());
  data.first = static_cast<Vertex>(first);
  data.part.vertices = end - first;
  constexpr Index block = Index{1} << 14;
  const Index edges = kronecker.edges();
  // Every rank draws all edges and keeps its own, which takes no message and no memory.
  data.part.out = build_csr(
      e, end - first, (edges + block - 1) / block, false, true,
      [&](Index b, auto&& emit) {
        for (Index i = b * block; i < std::min(edges, (b + 1) * block); ++i) {
          const auto [u, v] = kronecker.edge(i);
          if (u >= first && u < end) emit(u, v);
          if (v >= first && v < end) emit(v, u);
        }
      },
      data.first);
  data.usable = Array<std::uint64_t>((data.rows.size() + word_of_bits - 1) / word_of_bits);
  for (Index w = 0; w < data.usable.size(); ++w) data.usable[w] = 0;
  for (Index v = first; v < end; ++v) {
    if (data.part.out.degree(v - first) > 0) data.usable[v / word_of_bits] |= std::uint64_t{1} << (v % word_of_bits);
  }
  share_parts(data.usable, data.rows, word_of_bits);
  data.arcs = sum_of_ranks(data.part.arcs());
  data.name = fmt::format("kronecker scale {}, degree {}, seed {}", options.scale, options.degree, options.seed);
}
RankGraph::~RankGraph() = default;
RankGraph::RankGraph(RankGraph&&) noexcept = default;
RankGraph& RankGraph::operator=(RankGraph&&) noexcept = default;

std::string RankGraph::describe() const {
  return fmt::format("{}: {} vertices, {} undirected edges", data_->name, data_->rows.size(), data_->arcs / 2);
}

KernelRun run_kernel_on_ranks(const std::string& kernel, const RankGraph& graph, int trial) {
  const RankGraph::Data& data = graph.data();
  KernelRun result{kernel, "charm", "MTEPS", {}, {}, true, {}};
  CharmExecutor e;
  if (kernel == "bfs") {
    const auto usable = [&](Vertex v) { return data.arcs == 0 || data.has_edges(v); };
    add(result, search(e, data, pick_sources(data.rows.size(), usable, trial + 1).back()));
  } else if (kernel == "pr") {
    add(result, scores(e, data));
  } else if (kernel == "graph500") {
    add(result, searches(e, data));
  } else {
    throw Error(Errc::bad_config, fmt::format("kernel '{}' does not run on several ranks", kernel),
                fmt::format("choose among {}", fmt::join(rank_graph_kernel_names, ", ")));
  }
  return result;
}

std::uint64_t generated_bytes_of_rank(const GenerateOptions& options, int ranks) {
  const auto vertices = std::uint64_t{1} << options.scale;
  const std::uint64_t part = generated_bytes(options) / static_cast<std::uint64_t>(ranks);
  // Parents and levels of all vertices, to check the search, and bitmaps.
  return part + vertices * (2 * sizeof(Vertex) + 1);
}

}  // namespace charm::workloads
