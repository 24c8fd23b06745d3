// Graphs for the kernels: generated or loaded, with weights on demand.
#include "workloads/graph/input.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "workloads/executor/dispatch.hpp"
#include "workloads/graph/generate.hpp"
#include "workloads/graph/order.hpp"
#include "workloads/graph/replicate.hpp"
#include "workloads/graph/weights.hpp"

namespace charm::workloads {
namespace {

constexpr int largest_scale = 30;  // 2^30 vertices: the next one needs labels of 31 bits and a sign
constexpr int largest_degree = 4096;

void check(const GenerateOptions& options) {
  if (options.scale < 1 || options.scale > largest_scale) {
    throw Error(Errc::bad_input, fmt::format("scale {} is out of range", options.scale),
                fmt::format("use 1 to {}", largest_scale));
  }
  if (options.degree < 1 || options.degree > largest_degree) {
    throw Error(Errc::bad_input, fmt::format("degree {} is out of range", options.degree),
                fmt::format("use 1 to {}", largest_degree));
  }
}

const char* name_of(GraphKind kind) { return graph_kind_names[static_cast<std::size_t>(kind)]; }

bool is_random(GraphKind kind) { return kind != GraphKind::grid && kind != GraphKind::caterpillar; }
bool has_degree(GraphKind kind) { return is_random(kind) && kind != GraphKind::roads; }

std::string described(const GenerateOptions& options) {
  std::string text = fmt::format("{} scale {}", name_of(options.kind), options.scale);
  if (has_degree(options.kind)) text += fmt::format(", degree {}", options.degree);
  if (is_random(options.kind)) text += fmt::format(", seed {}", options.seed);
  return text;
}

/// Numbers the vertices anew, and says so in the graph's name.
template <Executor E>
void put_in_order(E& e, Graph::Data& data, VertexOrder order) {
  if (order == VertexOrder::given) return;
  data.loaded.numbers = numbers_in(order, data.loaded.graph, data.seed);
  data.loaded.graph = renumbered(e, data.loaded.graph, data.loaded.numbers);
  data.name += fmt::format(", order {}", vertex_order_names[static_cast<std::size_t>(order)]);
}

template <Executor E>
CsrGraph generated(E& e, const GenerateOptions& options) {
  switch (options.kind) {
    case GraphKind::uniform:
      return graph_of(e, Uniform(options.scale, options.degree, options.seed));
    case GraphKind::grid:
      return graph_of(e, Grid(options.scale));
    case GraphKind::web:
      return graph_of(e, Web(options.scale, options.degree, options.seed));
    case GraphKind::roads:
      return graph_of(e, Roads(options.scale, options.seed));
    case GraphKind::caterpillar:
      return graph_of(e, Caterpillar(options.scale));
    case GraphKind::kronecker:
      break;
  }
  return graph_of(e, Kronecker(options.scale, options.degree, options.seed));
}

}  // namespace

GraphKind graph_kind_named(std::string_view name) {
  const auto found = std::find(graph_kind_names.begin(), graph_kind_names.end(), name);
  if (found == graph_kind_names.end()) {
    throw Error(Errc::bad_config, fmt::format("graph '{}' is unknown", name),
                fmt::format("choose among {}", fmt::join(graph_kind_names, ", ")));
  }
  return static_cast<GraphKind>(found - graph_kind_names.begin());
}

Graph::Graph(std::unique_ptr<Data> data) : data_(std::move(data)) {}
Graph::Graph(Graph&&) noexcept = default;
Graph& Graph::operator=(Graph&&) noexcept = default;
Graph::~Graph() = default;

Graph Graph::generate(const GenerateOptions& options, const Runner& runner) {
  check(options);
  auto data = std::make_unique<Data>();
  data->name = described(options);
  data->seed = options.seed;
  with_any_executor(runner, [&](AnyExecutor e) {
    e.run([&] {
      auto& graph = data->loaded.graph;
      graph = generated(e, options);
      put_in_order(e, *data, options.order);
      replicate(e, graph);
    });
  });
  return Graph(std::move(data));
}

Graph Graph::load(const InputFile& input, const LoadOptions& options, const Runner& runner) {
  auto data = std::make_unique<Data>();
  data->file = input;
  data->name = input.path();
  data->seed = options.seed;
  with_any_executor(runner, [&](AnyExecutor e) {
    e.run([&] {
      data->loaded = load_graph(e, input, options.undirected);
      put_in_order(e, *data, options.order);
      replicate(e, data->loaded.graph);
    });
  });
  return Graph(std::move(data));
}

std::int64_t Graph::vertices() const { return data_->loaded.graph.vertices; }
std::int64_t Graph::edges() const { return data_->loaded.graph.edges(); }
bool Graph::directed() const { return data_->loaded.graph.directed; }

std::string Graph::describe() const {
  const auto& column = data_->loaded.weights;
  return fmt::format(
      "{}: {} vertices, {} {} edges{}", data_->name, vertices(), edges(), directed() ? "directed" : "undirected",
      column.present && !column.usable ? "; its weights are not whole numbers from 0 to 2147483647, sssp draws 1 to 255"
                                       : "");
}

const Weights& weights_of(Graph::Data& data, const Runner& runner) {
  if (data.weights.empty()) {
    with_any_executor(runner, [&](AnyExecutor e) {
      e.run([&] {
        data.weights = data.loaded.weights.usable ? load_weights(e, *data.file, data.loaded)
                                                  : draw_weights(e, data.loaded.graph, data.seed);
        replicate(e, data.weights);
      });
    });
  }
  return data.weights;
}

const CsrGraph& undirected_of(Graph::Data& data, const Runner& runner) {
  const CsrGraph& graph = data.loaded.graph;
  if (!graph.directed) return graph;
  if (data.both_ways) return *data.both_ways;
  CsrGraph both;
  with_any_executor(runner, [&](AnyExecutor e) {
    e.run([&] {
      constexpr Index block = 1024;
      const Index n = both.vertices = graph.vertices;
      both.out = build_csr(e, n, (n + block - 1) / block, true, true, [&](Index b, auto&& emit) {
        for (Index v = b * block; v < std::min(n, (b + 1) * block); ++v) {
          for (Vertex to : graph.out.of(v)) emit(static_cast<Vertex>(v), to);
        }
      });
    });
  });
  return data.both_ways.emplace(std::move(both));
}

std::uint64_t generated_bytes(const GenerateOptions& options, Memory memory, int nodes) {
  check(options);
  const std::uint64_t vertices = std::uint64_t{1} << options.scale;
  const int degree = has_degree(options.kind) ? options.degree : 2;
  const std::uint64_t arcs = 2 * vertices * static_cast<std::uint64_t>(degree);
  // Neighbours and weights an arc; offsets, and SSSP's distances and buckets a vertex, which hold every vertex a few
  // times.
  const std::uint64_t kernels =
      arcs * (sizeof(Vertex) + 1) + vertices * (sizeof(Index) + 32) + (std::uint64_t{32} << 20);
  const std::uint64_t graph = arcs * sizeof(Vertex) + vertices * sizeof(Index);
  // While vertices are numbered anew the graph is there twice, with the search's arrays.
  const std::uint64_t whole =
      options.order == VertexOrder::given ? kernels : std::max(kernels, 2 * graph + vertices * 24);
  if (nodes < 2 || memory < Memory::partitioned) return whole;
  return whole + graph * (memory == Memory::replicated ? static_cast<std::uint64_t>(nodes) : 1);
}

}  // namespace charm::workloads
