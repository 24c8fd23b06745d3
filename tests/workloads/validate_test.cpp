// A validator that never says no is worth nothing: each must reject every way of spoiling a right answer.
#include "workloads/graph/validate.hpp"

#include <gtest/gtest.h>

#include "workloads/executors.hpp"
#include "workloads/graph/bfs.hpp"
#include "workloads/graph/components.hpp"
#include "workloads/graph/pagerank.hpp"
#include "workloads/graph/weights.hpp"
#include "workloads/graphs.hpp"

namespace charm::workloads::testing {
namespace {

/// 0-1-2-3-4 with the shortcut 0-2, and apart from it 5-6; 7 is isolated.
PlainGraph kite(bool directed = false) { return {8, directed, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {0, 2}, {5, 6}}}; }

template <class T>
Array<T> copy_of(const Array<T>& array) {
  Array<T> copy(array.size());
  std::copy(array.begin(), array.end(), copy.begin());
  return copy;
}

template <Executor E>
std::string bfs_verdict(E& e, const CsrGraph& graph, std::vector<Vertex> parents) {
  Array<Vertex> array(static_cast<Index>(parents.size()));
  std::copy(parents.begin(), parents.end(), array.begin());
  Reached reached;
  return validate_bfs(e, graph, 0, array, reached);
}

TEST(ValidateBfs, NamesTheRuleThatAnAnswerBreaks) {
  on_every_executor([](auto& e) {
    const auto graph = to_csr(e, kite());
    EXPECT_EQ(bfs_verdict(e, graph, {0, 0, 0, 2, 3, -1, -1, -1}), "");
    auto breaks = [&](std::vector<Vertex> parents, const char* rule) {
      EXPECT_NE(bfs_verdict(e, graph, parents).find(rule), std::string::npos) << bfs_verdict(e, graph, parents);
    };
    breaks({1, 0, 0, 2, 3, -1, -1, -1}, "rule 1: the source");
    breaks({0, 0, 3, 2, 3, -1, -1, -1}, "rule 1: the parents of vertex 2 run in a circle");
    breaks({0, 0, 0, 5, 3, -1, -1, -1}, "rule 1");
    breaks({0, 0, 0, 99, 3, -1, -1, -1}, "rule 1");
    breaks({0, 0, 1, 2, 3, -1, -1, -1}, "rule 3");
    breaks({0, 0, 0, 2, -1, -1, -1, -1}, "rule 4");
    breaks({0, 0, 0, 2, 3, 0, 5, -1}, "rule 5");
    breaks({0, 0, 0, 2, 0, -1, -1, -1}, "rule 5");
    breaks({0, 0, 0, 2, 3}, "parents for 8 vertices");
  });
}

TEST(ValidateBfs, FollowsTheDirectionOfEdges) {
  on_every_executor([](auto& e) {
    const auto graph = to_csr(e, PlainGraph{3, true, {{0, 1}, {2, 1}, {1, 0}}});
    EXPECT_EQ(bfs_verdict(e, graph, {0, 0, -1}), "");
    EXPECT_NE(bfs_verdict(e, graph, {0, 0, 1}), "");
  });
}

TEST(ValidateBfs, RejectsAnyOtherParentThanOneOfTheLevelAbove) {
  EXPECT_TRUE(rc::check("changed parent", [] {
    const auto plain = *any_graph();
    const int source = *rc::gen::inRange(0, plain.vertices);
    SerialExecutor e;
    const auto graph = to_csr(e, plain);
    auto parent = bfs(e, graph, source);
    const int v = *rc::gen::inRange(0, plain.vertices);
    const int p = *rc::gen::inRange(-1, plain.vertices);
    parent[v] = p;
    const auto level = slow_levels(plain, source);
    auto level_of = [&](int u) { return level[static_cast<std::size_t>(u)]; };
    bool right = v == source ? p == source
                 : p < 0     ? level_of(v) == no_path
                             : level_of(v) != no_path && level_of(p) != no_path && level_of(p) + 1 == level_of(v) &&
                               plain.arcs().contains({p, v});
    Reached reached;
    RC_ASSERT(validate_bfs(e, graph, source, parent, reached).empty() == right);
  }));
}

TEST(ValidateComponents, RejectsSplitMergedAndMeaninglessLabels) {
  on_every_executor([](auto& e) {
    const auto graph = to_csr(e, kite());
    const auto right = components(e, graph);
    EXPECT_EQ(validate_components(e, graph, right), "");
    auto spoilt = [&](Index v, Vertex label) {
      auto copy = copy_of(right);
      copy[v] = label;
      return validate_components(e, graph, copy);
    };
    EXPECT_NE(spoilt(4, 4), "");  // split
    EXPECT_NE(spoilt(7, 0), "");  // an isolated vertex merged: every edge still agrees
    EXPECT_NE(spoilt(7, 99), "");
    EXPECT_NE(spoilt(7, -1), "");
    auto merged = copy_of(right);
    merged[5] = merged[6] = 0;
    EXPECT_EQ(validate_components(e, graph, merged), "2 labels for 3 components");
    EXPECT_NE(validate_components(e, graph, Array<Vertex>(3)), "");
  });
}

TEST(ValidatePagerank, RejectsScoresThatAreNotAtRest) {
  on_every_executor([](auto& e) {
    const auto graph = to_csr(e, kite(true));
    const auto right = pagerank(e, graph, 1e-6, 1000).scores;
    EXPECT_EQ(validate_pagerank(e, graph, right, 1e-4), "");
    for (Index v = 0; v < graph.vertices; ++v) {
      for (float wrong : {right[v] + .001F, 0.0F, -1.0F, std::nanf(""), INFINITY}) {
        auto copy = copy_of(right);
        copy[v] = wrong;
        EXPECT_NE(validate_pagerank(e, graph, copy, 1e-4), "") << "vertex " << v << " score " << wrong;
      }
    }
  });
}

TEST(ValidateSssp, RejectsEveryOtherDistance) {
  on_every_executor([](auto& e) {
    const auto graph = to_csr(e, kite());
    const auto weights = draw_weights(e, graph, 1);
    const auto right = sssp(e, graph, weights, 0, 0);
    Reached reached;
    EXPECT_EQ(validate_sssp(e, graph, weights, 0, right, reached), "");
    EXPECT_EQ(reached.vertices, 5);
    EXPECT_EQ(reached.edges, 5);
    for (Index v = 0; v < graph.vertices; ++v) {
      for (Distance wrong : {right[v] - 1, right[v] + 1, Distance{0}, unreached}) {
        if (wrong == right[v]) continue;
        auto copy = copy_of(right);
        copy[v] = wrong;
        EXPECT_NE(validate_sssp(e, graph, weights, 0, copy, reached), "") << "vertex " << v << " at " << wrong;
      }
    }
  });
}

TEST(ValidateSssp, IsNotFooledByVerticesThatVouchForEachOther) {
  on_every_executor([](auto& e) {
    // 1 and 2 are joined by an edge of weight 0: at distance 3 both look tight, but the source is 5 away.
    const auto graph = to_csr(e, PlainGraph{3, false, {{0, 1}, {1, 2}}});
    Weights weights;
    weights.narrow = Array<std::uint8_t>(4);
    weights.largest = 5;
    for (Index i = 0; i < 4; ++i) weights.narrow[i] = i == 0 || i == 1 ? 5 : 0;
    Array<Distance> distance(3);
    distance[0] = 0;
    distance[1] = distance[2] = 5;
    Reached reached;
    EXPECT_EQ(validate_sssp(e, graph, weights, 0, distance, reached), "");
    distance[1] = distance[2] = 3;
    EXPECT_NE(validate_sssp(e, graph, weights, 0, distance, reached), "");
  });
}

}  // namespace
}  // namespace charm::workloads::testing
