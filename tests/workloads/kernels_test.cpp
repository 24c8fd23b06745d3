// Every kernel on every executor against the slow way, on random graphs; and every validator on the same right answers.
#include <gtest/gtest.h>

#include "workloads/executors.hpp"
#include "workloads/graph/bfs.hpp"
#include "workloads/graph/components.hpp"
#include "workloads/graph/pagerank.hpp"
#include "workloads/graph/sssp.hpp"
#include "workloads/graph/validate.hpp"
#include "workloads/graphs.hpp"

namespace charm::workloads::testing {
namespace {

/// rc::check on every executor; the property gets (executor). All have one type for rc::check, which takes long to
/// compile.
template <class F>
void check_everywhere(const char* property, F&& f){
#define CHARM_WORKLOADS_CHECK(Type)                                                              \
  EXPECT_TRUE(rc::check(std::string(property) + " on " + Type::name, std::function<void()>([&] { \
                          Type executor(3);                                                      \
                          f(executor);                                                           \
                        })));
    CHARM_WORKLOADS_EXECUTORS(CHARM_WORKLOADS_CHECK)
#undef CHARM_WORKLOADS_CHECK
}

std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

TEST(Csr, HoldsTheArcsOfTheGraphInOrderAndItsTransposeTheReverse) {
  check_everywhere("arcs", [](auto& e) {
    const auto plain = *any_graph();
    CsrGraph graph;
    e.run([&] { graph = to_csr(e, plain); });
    std::vector<std::pair<int, int>> arcs;
    std::set<std::pair<int, int>> reversed;
    for (Index u = 0; u < graph.vertices; ++u) {
      for (Vertex v : graph.out.of(u)) arcs.emplace_back(u, v);
      for (Vertex v : graph.in().of(u)) reversed.emplace(v, u);
    }
    const auto expected = plain.arcs();
    RC_ASSERT((arcs == std::vector<std::pair<int, int>>(expected.begin(), expected.end())));
    RC_ASSERT(reversed == expected);
  });
}

TEST(Bfs, ParentsAreOneLevelUpAndEverythingReachableIsReached) {
  check_everywhere("bfs", [](auto& e) {
    const auto plain = *any_graph();
    const int source = *rc::gen::inRange(0, plain.vertices);
    Array<Vertex> parent;
    Reached reached;
    std::string wrong;
    e.run([&] {
      const auto graph = to_csr(e, plain);
      parent = bfs(e, graph, source);
      wrong = validate_bfs(e, graph, source, parent, reached);
    });
    RC_ASSERT(wrong == "");
    const auto level = slow_levels(plain, source);
    const auto arcs = plain.arcs();
    Index count = 0;
    for (int v = 0; v < plain.vertices; ++v) {
      RC_ASSERT((parent[v] >= 0) == (level[at(v)] != no_path));
      count += parent[v] >= 0;
      if (v == source || parent[v] < 0) continue;
      RC_ASSERT(arcs.contains({parent[v], v}));
      RC_ASSERT(level[at(parent[v])] + 1 == level[at(v)]);
    }
    RC_ASSERT(parent[source] == source);
    RC_ASSERT(reached.vertices == count);
  });
}

TEST(Components, LabelsAreEqualExactlyWhereAPathIs) {
  check_everywhere("components", [](auto& e) {
    const auto plain = *any_graph();
    Array<Vertex> label;
    std::string wrong;
    e.run([&] {
      const auto graph = to_csr(e, plain);
      label = components(e, graph);
      wrong = validate_components(e, graph, label);
    });
    RC_ASSERT(wrong == "");
    const auto expected = slow_components(plain);
    std::map<int, int> names;
    std::set<int> used;
    for (int v = 0; v < plain.vertices; ++v) {
      const auto [it, first] = names.emplace(expected[at(v)], label[v]);
      if (first) RC_ASSERT(used.insert(label[v]).second);
      RC_ASSERT(it->second == label[v]);
    }
  });
}

TEST(Pagerank, IsWithinTheToleranceOfTheFixedPoint) {
  check_everywhere("pagerank", [](auto& e) {
    const auto plain = *any_graph();
    constexpr double tolerance = 1e-4;
    PageRank result;
    std::string wrong;
    e.run([&] {
      const auto graph = to_csr(e, plain);
      result = pagerank(e, graph, tolerance, 1000);
      wrong = validate_pagerank(e, graph, result.scores, tolerance);
    });
    RC_ASSERT(wrong == "");
    const auto expected = slow_pagerank(plain);
    double off = 0;
    for (int v = 0; v < plain.vertices; ++v) off += std::fabs(expected[at(v)] - static_cast<double>(result.scores[v]));
    // What is left after a change of t is at most t * d / (1 - d).
    RC_ASSERT(off < tolerance * .85 / .15 + 1e-5);
  });
}

TEST(Pagerank, MakesAsManyIterationsAsAsked) {
  on_every_executor([](auto& e) {
    PlainGraph path{4, false, {{0, 1}, {1, 2}, {2, 3}}};
    const auto graph = to_csr(e, path);
    EXPECT_EQ(pagerank(e, graph, 0, 20).iterations, 20);
  });
}

TEST(Sssp, DistancesAreTheShortestForAnyWeightsAndBuckets) {
  check_everywhere("sssp", [](auto& e) {
    const auto plain = *any_graph();
    const int source = *rc::gen::inRange(0, plain.vertices);
    const auto heaviest = *rc::gen::element<std::uint32_t>(0, 1, 9, 255, 256, 70000, 2000000);
    const auto lightest = *rc::gen::inRange<std::uint32_t>(0, 2);
    const int delta = *rc::gen::element(0, 1, 2, 3, 1000, 1 << 30);
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    auto weight = [&](int u, int v) {
      auto range = heaviest >= lightest ? heaviest - lightest + 1 : 1;
      auto key = static_cast<std::uint64_t>(std::min(u, v)) << 32 | static_cast<std::uint64_t>(std::max(u, v));
      return lightest + static_cast<std::uint32_t>((seed ^ key * 0x9e3779b97f4a7c15U) >> 33) % range;
    };
    ArcWeights of_arcs;
    for (auto [u, v] : plain.arcs()) of_arcs[{u, v}] = weight(u, v);
    Array<Distance> distance;
    std::string wrong;
    e.run([&] {
      const auto graph = to_csr(e, plain);
      Weights weights;
      weights.smallest = lightest;
      weights.largest = std::max(heaviest, lightest);
      if (weights.largest <= 255)
        weights.narrow = Array<std::uint8_t>(graph.arcs());
      else
        weights.wide = Array<std::uint32_t>(graph.arcs());
      for (Index u = 0; u < graph.vertices; ++u) {
        for (Index i = graph.out.offsets[u]; i < graph.out.offsets[u + 1]; ++i) {
          auto w = weight(static_cast<int>(u), graph.out.neighbours[i]);
          if (weights.largest <= 255)
            weights.narrow[i] = static_cast<std::uint8_t>(w);
          else
            weights.wide[i] = w;
        }
      }
      distance = sssp(e, graph, weights, source, delta);
      Reached reached;
      wrong = validate_sssp(e, graph, weights, source, distance, reached);
    });
    RC_ASSERT(wrong == "");
    const auto expected = slow_distances(plain, of_arcs, source);
    for (int v = 0; v < plain.vertices; ++v) {
      if (expected[at(v)] == no_path)
        RC_ASSERT(distance[v] == unreached);
      else
        RC_ASSERT(std::int64_t{distance[v]} == expected[at(v)]);
    }
  });
}

TEST(Kernels, KnowTheGraphWithoutVerticesAndTheOneWithoutEdges) {
  on_every_executor([](auto& e) {
    const auto none = to_csr(e, PlainGraph{0, false, {}});
    EXPECT_EQ(components(e, none).size(), 0);
    EXPECT_EQ(pagerank(e, none, 1e-4, 10).scores.size(), 0);
    const auto one = to_csr(e, PlainGraph{1, true, {{0, 0}}});
    EXPECT_EQ(bfs(e, one, 0)[0], 0);
    EXPECT_EQ(components(e, one)[0], 0);
    Weights weights;
    EXPECT_EQ(sssp(e, one, weights, 0, 0)[0], 0U);
  });
}

}  // namespace
}  // namespace charm::workloads::testing
