// The generator: the same graph whoever draws it, labels that are a permutation, and the distribution that Graph500
// asks for.
#include "workloads/graph/generate.hpp"

#include <cmath>
#include <rapidcheck.h>
#include <vector>

#include <gtest/gtest.h>

#include "workloads/executors.hpp"
#include "workloads/graph/sources.hpp"
#include "workloads/graph/weights.hpp"

namespace charm::workloads::testing {
namespace {

template <Executor E>
CsrGraph kronecker_graph(E& e, int scale, std::uint64_t seed) {
  return graph_of(e, Kronecker(scale, 16, seed));
}

TEST(Kronecker, LabelsAreAPermutationForAnyScaleAndSeed) {
  EXPECT_TRUE(rc::check("labels", [] {
    const int scale = *rc::gen::inRange(1, 13);
    const Kronecker kronecker(scale, 1, *rc::gen::arbitrary<std::uint64_t>());
    std::vector<bool> taken(std::size_t{1} << scale);
    for (std::uint32_t v = 0; v < taken.size(); ++v) {
      const auto label = static_cast<std::size_t>(kronecker.label(v));
      RC_ASSERT(label < taken.size());
      RC_ASSERT(!taken[label]);
      taken[label] = true;
    }
  }));
}

TEST(Kronecker, DrawsTheSameGraphOnEveryExecutor) {
  SerialExecutor serial;
  const auto expected = kronecker_graph(serial, 12, 7);
  const auto expected_weights = draw_weights(serial, expected, 7);
  on_every_executor([&](auto& e) {
    const auto graph = kronecker_graph(e, 12, 7);
    EXPECT_TRUE(std::equal(graph.out.offsets.begin(), graph.out.offsets.end(), expected.out.offsets.begin()));
    EXPECT_TRUE(std::equal(graph.out.neighbours.begin(), graph.out.neighbours.end(), expected.out.neighbours.begin()));
    const auto weights = draw_weights(e, graph, 7);
    EXPECT_TRUE(std::equal(weights.narrow.begin(), weights.narrow.end(), expected_weights.narrow.begin()));
  });
  const auto other = kronecker_graph(serial, 12, 8);
  EXPECT_FALSE(std::equal(other.out.offsets.begin(), other.out.offsets.end(), expected.out.offsets.begin()));
}

TEST(Kronecker, GoesToTheQuadrantsAsOftenAsGraph500Says) {
  // At scale 1 an edge is one draw, and the label permutation can only swap the two vertices.
  const Kronecker kronecker(1, 200000, 3);
  double count[2][2] = {};
  for (Index i = 0; i < kronecker.edges(); ++i) {
    auto [u, v] = kronecker.edge(i);
    const bool swapped = kronecker.label(0) == 1;
    count[(u == 1) != swapped][(v == 1) != swapped] += 1;
  }
  const auto n = static_cast<double>(kronecker.edges());
  const double expected[2][2] = {{.57, .19}, {.19, .05}};
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      // Five standard deviations.
      EXPECT_NEAR(count[i][j] / n, expected[i][j], 5 * std::sqrt(expected[i][j] / n)) << i << j;
    }
  }
}

TEST(Kronecker, LevelsAreDrawnIndependently) {
  // The chance that both ends fall into the upper half at every level is .57^scale.
  const int scale = 5;
  const Kronecker kronecker(scale, 20000, 11);
  double first = 0;
  const Vertex origin = kronecker.label(0);
  for (Index i = 0; i < kronecker.edges(); ++i) first += kronecker.edge(i) == std::pair{origin, origin};
  const auto n = static_cast<double>(kronecker.edges());
  const double expected = std::pow(.57, scale);
  EXPECT_NEAR(first / n, expected, 5 * std::sqrt(expected / n));
}

TEST(Weights, LieBetween1And255AndAreTheSameInBothDirections) {
  EXPECT_TRUE(rc::check("weights", [] {
    const auto u = *rc::gen::inRange<Vertex>(0, max_vertices);
    const auto v = *rc::gen::inRange<Vertex>(0, max_vertices);
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    RC_ASSERT(drawn_weight(seed, u, v) >= 1);
    RC_ASSERT(drawn_weight(seed, u, v) == drawn_weight(seed, v, u));
  }));
  std::vector<int> seen(256);
  for (Vertex v = 0; v < 20000; ++v) ++seen[drawn_weight(1, 0, v)];
  EXPECT_EQ(seen[0], 0);
  for (int w = 1; w < 256; ++w) EXPECT_GT(seen[static_cast<std::size_t>(w)], 20) << w;
}

TEST(Sources, HaveEdgesAndDifferWhereGraph500AsksForIt) {
  SerialExecutor e;
  const auto graph = kronecker_graph(e, 10, 1);
  for (Vertex v : pick_sources(graph, 100)) EXPECT_GT(graph.out.degree(v), 0);
  auto roots = pick_different_sources(graph, 64);
  EXPECT_EQ(roots.size(), 64U);
  std::sort(roots.begin(), roots.end());
  EXPECT_EQ(std::adjacent_find(roots.begin(), roots.end()), roots.end());
  const auto more = pick_sources(graph, 10);
  const auto fewer = pick_sources(graph, 4);
  EXPECT_TRUE(std::equal(fewer.begin(), fewer.end(), more.begin()));
}

TEST(Sources, AreAsManyAsThereAreInASmallGraph) {
  SerialExecutor e;
  CsrGraph pair;
  pair.vertices = 5;
  pair.out = build_csr(e, 5, 1, true, true, [](Index, auto&& emit) { emit(1, 3); });
  EXPECT_EQ(pick_different_sources(pair, 64).size(), 2U);
  CsrGraph empty;
  empty.vertices = 1;
  empty.out = build_csr(e, 1, 0, true, true, [](Index, auto&&) {});
  EXPECT_EQ(pick_sources(empty, 3), (std::vector<Vertex>{0, 0, 0}));
}

TEST(PrefixSum, SumsWhateverTheBlocks) {
  on_every_executor([](auto& e) {
    for (Index n : {Index{0}, Index{1}, Index{65535}, Index{65536}, Index{200000}}) {
      Array<Index> sums(n + 1);
      sums[0] = 0;
      for (Index i = 0; i < n; ++i) sums[i + 1] = i % 7;
      prefix_sum(e, sums);
      Index expected = 0;
      for (Index i = 0; i < n; ++i) {
        ASSERT_EQ(sums[i], expected) << i << " of " << n;
        expected += i % 7;
      }
      ASSERT_EQ(sums[n], expected);
    }
  });
}

}  // namespace
}  // namespace charm::workloads::testing
