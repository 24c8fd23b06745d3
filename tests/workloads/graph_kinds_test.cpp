// The graphs that can be generated besides Kronecker's: what each promises, and every kernel on all of them.
#include <charm/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include <gtest/gtest.h>

#include "workloads/executors.hpp"
#include "workloads/graph/generate.hpp"
#include "workloads/graph/input.hpp"
#include "workloads/graph/sssp.hpp"
#include "workloads/kernel_run.hpp"

namespace charm::workloads::testing {
namespace {

constexpr GraphKind all_kinds[] = {GraphKind::kronecker, GraphKind::uniform, GraphKind::grid,
                                   GraphKind::web,       GraphKind::roads,   GraphKind::caterpillar};

bool same(const Csr& a, const Csr& b) {
  return std::equal(a.offsets.begin(), a.offsets.end(), b.offsets.begin(), b.offsets.end()) &&
         std::equal(a.neighbours.begin(), a.neighbours.end(), b.neighbours.begin(), b.neighbours.end());
}

TEST(Grid, JoinsNeighboursInRowsAndColumns) {
  SerialExecutor e;
  for (int scale = 1; scale <= 9; ++scale) {
    const CsrGraph graph = graph_of(e, Grid(scale));
    const Index width = Index{1} << (scale + 1) / 2;
    const Index height = Index{1} << scale / 2;
    ASSERT_EQ(graph.vertices, width * height);
    for (Index v = 0; v < graph.vertices; ++v) {
      std::vector<Vertex> expected;
      if (v >= width) expected.push_back(static_cast<Vertex>(v - width));
      if (v % width > 0) expected.push_back(static_cast<Vertex>(v - 1));
      if (v % width + 1 < width) expected.push_back(static_cast<Vertex>(v + 1));
      if (v + width < graph.vertices) expected.push_back(static_cast<Vertex>(v + width));
      const auto neighbours = graph.out.of(v);
      ASSERT_TRUE(std::equal(neighbours.begin(), neighbours.end(), expected.begin(), expected.end()))
          << "vertex " << v << " at scale " << scale;
    }
  }
}

TEST(Uniform, DrawsBothEndsEvenlyAndIndependently) {
  const int scale = 6;
  const Uniform uniform(scale, 2000, 5);
  std::vector<double> count(std::size_t{1} << scale * 2);
  for (Index i = 0; i < uniform.edges(); ++i) {
    const auto [u, v] = uniform.edge(i);
    count[static_cast<std::size_t>(u) << scale | static_cast<std::size_t>(v)] += 1;
  }
  // Chi-square over all pairs: its mean is their number and its standard deviation sqrt(2 x number).
  const double expected = static_cast<double>(uniform.edges()) / static_cast<double>(count.size());
  double chi = 0;
  for (double c : count) chi += (c - expected) * (c - expected) / expected;
  const auto pairs = static_cast<double>(count.size());
  EXPECT_NEAR(chi, pairs, 5 * std::sqrt(2 * pairs));
}

TEST(Web, LinksAreMostlyShortAndPagesDifferInHowManyLeadToThem) {
  SerialExecutor e;
  const Web web(14, 16, 3);
  const Index n = web.vertices();
  double links = 0;
  double near = 0;
  for (Vertex v = 0; v < n; ++v) {
    const Index on = web.links_on(v);
    ASSERT_GE(on, 8);
    ASSERT_LE(on, 4096);
    for (Index i = 0; i < on; ++i) {
      const Vertex to = web.link(v, i);
      ASSERT_GE(to, 0);
      ASSERT_LT(to, n);
      const Index away = std::abs(Index{to} - v);
      links += 1;
      near += std::min(away, n - away) <= 1024 ? 1 : 0;
    }
  }
  EXPECT_NEAR(links / static_cast<double>(n), 15.5, 1.5);  // Pareto's mean of 16, rounded down and cut
  EXPECT_NEAR(near / links, .8 + .2 / 8, .02);             // some of the others are near by chance
  const CsrGraph graph = graph_of(e, web);
  EXPECT_TRUE(graph.directed);
  Index most = 0;
  for (Index v = 0; v < n; ++v) most = std::max(most, graph.transposed.degree(v));
  EXPECT_GT(most, 50 * graph.arcs() / n);
}

TEST(GraphKinds, AreTheSameGraphOnEveryExecutorAndAnotherForAnotherSeed) {
  for (GraphKind kind : all_kinds) {
    const auto expected = Graph::generate({12, 16, 7, kind}, {});
    const auto& csr = expected.data().loaded.graph;
    for (const auto& runtime : runtimes()) {
      const auto again = Graph::generate({12, 16, 7, kind}, {runtime, 0});
      EXPECT_TRUE(same(csr.out, again.data().loaded.graph.out)) << expected.describe() << " on " << runtime;
      EXPECT_EQ(again.directed(), kind == GraphKind::web);
    }
    const auto other = Graph::generate({12, 16, 8, kind}, {});
    EXPECT_EQ(same(csr.out, other.data().loaded.graph.out), kind == GraphKind::grid || kind == GraphKind::caterpillar)
        << expected.describe();
  }
}

TEST(GraphKinds, HaveNames) {
  for (GraphKind kind : all_kinds) EXPECT_EQ(graph_kind_named(graph_kinds()[static_cast<std::size_t>(kind)]), kind);
  EXPECT_THROW((void)graph_kind_named("torus"), Error);
}

/// At this scale frontiers are both for one worker and for many, and there are more blocks than workers.
TEST(GraphKinds, EveryKernelIsRightOnThem) {
  for (GraphKind kind : all_kinds) {
    const auto graph = Graph::generate({14, 16, 1, kind}, {});
    for (const auto& runtime : runtimes()) {
      for (const char* kernel : {"bfs", "cc", "sssp", "pr"}) {
        const KernelRun run = run_kernel(kernel, {runtime, 0}, graph, {.trials = 3});
        EXPECT_TRUE(run.verified) << kernel << " on " << runtime << ", " << graph.describe() << ": " << run.detail;
      }
    }
  }
}

TEST(BucketWidth, IsChosenFromTheGraphUnlessItIsGiven) {
  auto width = [](GraphKind kind, int delta) {
    const auto graph = Graph::generate({12, 16, 1, kind}, {});
    auto& data = graph.data();
    return 1 << bucket_shift(data.loaded.graph, weights_of(data, {}), delta);
  };
  EXPECT_EQ(width(GraphKind::kronecker, 0), 4);  // edges lead to hubs
  EXPECT_EQ(width(GraphKind::uniform, 0), 8);
  EXPECT_EQ(width(GraphKind::grid, 0), 64);
  EXPECT_EQ(width(GraphKind::grid, 100), 64) << "rounded down to a power of two";
  EXPECT_EQ(width(GraphKind::kronecker, 1), 1);
  CsrGraph empty;
  SerialExecutor e;
  empty.vertices = 3;
  empty.out = build_csr(e, 3, 0, true, true, [](Index, auto&&) {});
  Weights none;
  EXPECT_EQ(bucket_shift(empty, none, 0), 0);
}

}  // namespace
}  // namespace charm::workloads::testing
