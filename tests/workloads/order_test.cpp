// Numberings of vertices: each is a permutation of the same graph, and every kernel is right whatever the numbering.
#include "workloads/graph/order.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "base/folder.hpp"
#include "workloads/executors.hpp"
#include "workloads/graph/components.hpp"
#include "workloads/graph/generate.hpp"
#include "workloads/graph/input.hpp"
#include "workloads/graph/pagerank.hpp"
#include "workloads/graph/validate.hpp"
#include "workloads/graphs.hpp"
#include "workloads/kernel_run.hpp"

namespace charm::workloads::testing {
namespace {

VertexOrder order_at(std::size_t i) { return static_cast<VertexOrder>(i); }

std::vector<std::size_t> sorted_degrees(const CsrGraph& graph) {
  std::vector<std::size_t> degrees;
  for (Index v = 0; v < graph.vertices; ++v) degrees.push_back(graph.out.of(v).size());
  std::sort(degrees.begin(), degrees.end());
  return degrees;
}

TEST(Orders, HaveNames) {
  const auto names = vertex_orders();
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(vertex_order_named(names[i]), order_at(i));
  EXPECT_EQ(vertex_order_named("rcm"), VertexOrder::reverse_cuthill_mckee);
  EXPECT_EQ(vertex_order_named("zigzag"), VertexOrder::zigzag);
  EXPECT_THROW((void)vertex_order_named("alphabetical"), Error);
}

TEST(Orders, NumberTheSameGraph) {
  EXPECT_TRUE(rc::check("permutation", [] {
    const auto plain = *any_graph();
    SerialExecutor e;
    const CsrGraph graph = to_csr(e, plain);
    const auto arcs = plain.arcs();
    for (std::size_t i = 0; i < vertex_order_names.size(); ++i) {
      const auto numbers = numbers_in(order_at(i), graph, 3);
      const std::set<Vertex> different(numbers.begin(), numbers.end());
      RC_ASSERT(different.size() == static_cast<std::size_t>(plain.vertices));
      RC_ASSERT(*different.begin() == 0);
      RC_ASSERT(*different.rbegin() == plain.vertices - 1);
      const CsrGraph other = renumbered(e, graph, numbers);
      std::set<std::pair<int, int>> expected;
      for (auto [u, v] : arcs)
        expected.emplace(numbers[static_cast<std::size_t>(u)], numbers[static_cast<std::size_t>(v)]);
      std::set<std::pair<int, int>> found;
      std::set<std::pair<int, int>> reversed;
      for (Index u = 0; u < other.vertices; ++u) {
        for (Vertex v : other.out.of(u)) found.emplace(u, v);
        for (Vertex v : other.in().of(u)) reversed.emplace(v, u);
      }
      RC_ASSERT(found == expected);
      RC_ASSERT(reversed == expected);
    }
  }));
}

TEST(Orders, AreThoseThatTheirNamesSay) {
  SerialExecutor e;
  const CsrGraph star = to_csr(e, PlainGraph{5, false, {{2, 0}, {2, 1}, {2, 3}, {2, 4}}});
  auto numbers = [&](VertexOrder order) { return numbers_in(order, star, 1); };
  using Numbers = std::vector<Vertex>;
  EXPECT_EQ(numbers(VertexOrder::given), (Numbers{0, 1, 2, 3, 4}));
  EXPECT_EQ(numbers(VertexOrder::reverse), (Numbers{4, 3, 2, 1, 0}));
  EXPECT_EQ(numbers(VertexOrder::degree_up), (Numbers{0, 1, 4, 2, 3}));
  EXPECT_EQ(numbers(VertexOrder::degree_down), (Numbers{4, 3, 0, 2, 1}));
  EXPECT_EQ(numbers(VertexOrder::bfs), (Numbers{0, 2, 1, 3, 4}));
  EXPECT_EQ(numbers(VertexOrder::reverse_cuthill_mckee), (Numbers{4, 2, 3, 1, 0}));
  EXPECT_EQ(numbers(VertexOrder::zigzag), (Numbers{0, 2, 4, 3, 1}));
  const CsrGraph path = to_csr(e, PlainGraph{4, true, {{1, 0}, {1, 3}, {3, 2}}});
  EXPECT_EQ(numbers_in(VertexOrder::dfs, path, 1), (Numbers{0, 1, 3, 2})) << "against the direction of edges, too";
}

TEST(Orders, EveryKernelIsRightOnAllKindsInAllOrders) {
  for (std::size_t kind = 0; kind < graph_kind_names.size(); ++kind) {
    for (std::size_t order = 0; order < vertex_order_names.size(); ++order) {
      GenerateOptions options{9, 8, 2, static_cast<GraphKind>(kind)};
      options.order = order_at(order);
      const auto graph = Graph::generate(options, {});
      EXPECT_EQ(graph.describe().find("order") != std::string::npos, order > 0);
      for (const auto& kernel : graph_kernels()) {
        if (kernel == "graph500") continue;
        const auto run = run_kernel(kernel, {runtimes().front(), 3}, graph);
        EXPECT_TRUE(run.verified) << kernel << " on " << graph.describe() << ": " << run.detail;
      }
    }
  }
}

TEST(Orders, ComponentsAreRightOnManyWorkersWhoseBlocksAreChained) {
  // More vertices than a block of the kernel has, so that workers follow labels that others change.
  SerialExecutor serial;
  for (auto kind : {GraphKind::roads, GraphKind::caterpillar, GraphKind::web}) {
    const auto base = Graph::generate({15, 8, 2, kind}, {});
    for (std::size_t order = 0; order < vertex_order_names.size(); ++order) {
      const CsrGraph& given = base.data().loaded.graph;
      const CsrGraph graph = renumbered(serial, given, numbers_in(order_at(order), given, 1));
      const auto expected = components(serial, graph);
      on_every_executor([&](auto& e) {
        const auto label = components(e, graph);
        EXPECT_TRUE(std::equal(label.begin(), label.end(), expected.begin(), expected.end()))
            << base.describe() << " in order " << vertex_order_names[order];
      });
    }
  }
}

// At scale 18 plain iteration takes up to 24.
TEST(Orders, PagerankTakesFewIterationsOnAllKindsInAllOrders) {
  const std::map<GraphKind, int> most = {{GraphKind::kronecker, 8}, {GraphKind::uniform, 4},
                                         {GraphKind::grid, 10},     {GraphKind::web, 10},
                                         {GraphKind::roads, 11},    {GraphKind::caterpillar, 10}};
  SerialExecutor serial;
  for (const auto& [kind, iterations] : most) {
    const auto base = Graph::generate({12, 8, 2, kind}, {});
    for (std::size_t order = 0; order < vertex_order_names.size(); ++order) {
      const CsrGraph& given = base.data().loaded.graph;
      const CsrGraph graph = renumbered(serial, given, numbers_in(order_at(order), given, 1));
      const auto result = pagerank(serial, graph, 1e-4, 100);
      EXPECT_LE(result.iterations, iterations) << base.describe() << " in order " << vertex_order_names[order];
      EXPECT_EQ(validate_pagerank(serial, graph, result.scores, 1e-4), "");
    }
  }
}

TEST(Orders, WeightsOfAFileFollowItsVertices) {
  const test::Folder folder;
  const std::string path = folder.file("graph.wel", "0 1 7\n1 2 300\n2 3 5\n3 0 9\n");
  for (std::size_t order = 0; order < vertex_order_names.size(); ++order) {
    const auto graph = Graph::load(path, {.undirected = false, .seed = 1, .order = order_at(order)}, {});
    auto& data = graph.data();
    const CsrGraph& csr = data.loaded.graph;
    const Weights& weights = weights_of(data, {});
    auto number = [&](std::size_t v) {
      return data.loaded.numbers.empty() ? static_cast<Vertex>(v) : data.loaded.numbers[v];
    };
    const std::uint32_t expected[] = {7, 300, 5, 9};
    for (std::size_t v = 0; v < 4; ++v) {
      ASSERT_EQ(csr.out.degree(number(v)), 1);
      EXPECT_EQ(csr.out.of(number(v))[0], number((v + 1) % 4));
      EXPECT_EQ(weights[csr.out.offsets[number(v)]], expected[v]);
    }
  }
}

TEST(Roads, ArePlanarNearAndInOnePiece) {
  SerialExecutor e;
  for (int scale = 1; scale <= 12; ++scale) {
    const CsrGraph graph = graph_of(e, Roads(scale, 7));
    const auto label = components(e, graph);
    EXPECT_EQ(std::count(label.begin(), label.end(), 0), graph.vertices) << scale;
    EXPECT_LE(graph.edges(), 3 * graph.vertices) << "as of a planar graph";
    if (scale < 8) continue;
    EXPECT_GE(graph.edges(), graph.vertices * 11 / 10);
    EXPECT_LE(graph.edges(), graph.vertices * 15 / 10);
    EXPECT_LE(sorted_degrees(graph).back(), 6U) << "edges of such a graph are at least 60 degrees apart";
  }
}

TEST(Caterpillar, IsATreeWhosePathHasHalfOfTheVertices) {
  SerialExecutor e;
  const CsrGraph graph = graph_of(e, Caterpillar(5));
  EXPECT_EQ(graph.edges(), 31);
  const auto degrees = sorted_degrees(graph);
  EXPECT_EQ(std::count(degrees.begin(), degrees.end(), 1U), 16) << "what hangs on the path";
  EXPECT_EQ(degrees.back(), 3U);
}

}  // namespace
}  // namespace charm::workloads::testing
