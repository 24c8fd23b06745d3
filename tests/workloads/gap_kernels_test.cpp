// Betweenness and triangle counting on every executor against the slow way, and the answers that programs get as text.
#include <array>
#include <functional>
#include <limits>
#include <sstream>

#include <gtest/gtest.h>

#include "base/folder.hpp"
#include "workloads/executors.hpp"
#include "workloads/graph/betweenness.hpp"
#include "workloads/graph/input.hpp"
#include "workloads/graph/triangles.hpp"
#include "workloads/graph/validate.hpp"
#include "workloads/graphs.hpp"
#include "workloads/kernel_run.hpp"

namespace charm::workloads::testing {
namespace {

std::size_t place(Index i) { return static_cast<std::size_t>(i); }

/// By the definition: of each pair of vertices the share of shortest paths that lead through a third.
std::vector<double> slow_betweenness(const PlainGraph& graph, const std::vector<Vertex>& sources) {
  const auto n = place(graph.vertices);
  const auto arcs = graph.arcs();
  // Number of shortest paths between all pairs, by length.
  std::vector<std::vector<std::int64_t>> far(n, std::vector<std::int64_t>(n, no_path));
  std::vector<std::vector<double>> paths(n, std::vector<double>(n, 0));
  for (int s = 0; s < graph.vertices; ++s) {
    far[place(s)] = slow_levels(graph, s);
    paths[place(s)][place(s)] = 1;
    for (std::int64_t length = 1; length <= graph.vertices; ++length) {
      for (auto [u, v] : arcs) {
        if (far[place(s)][place(u)] == length - 1 && far[place(s)][place(v)] == length)
          paths[place(s)][place(v)] += paths[place(s)][place(u)];
      }
    }
  }
  std::vector<double> scores(n, 0);
  for (Vertex s : sources) {
    for (std::size_t t = 0; t < n; ++t) {
      if (t == place(s) || far[place(s)][t] == no_path) continue;
      for (std::size_t v = 0; v < n; ++v) {
        if (v == t || far[place(s)][v] == no_path || far[v][t] == no_path) continue;
        if (far[place(s)][v] + far[v][t] == far[place(s)][t])
          scores[v] += paths[place(s)][v] * paths[v][t] / paths[place(s)][t];
      }
    }
  }
  const double largest = *std::max_element(scores.begin(), scores.end());
  for (double& score : scores) score = largest > 0 ? score / largest : 0;
  return scores;
}

std::uint64_t slow_triangles(const PlainGraph& graph) {
  const auto arcs = graph.arcs();
  std::uint64_t count = 0;
  for (auto [u, v] : arcs) {
    if (u >= v) continue;
    for (int w = v + 1; w < graph.vertices; ++w) count += arcs.contains({u, w}) && arcs.contains({v, w}) ? 1U : 0U;
  }
  return count;
}

template <class F>
void hold_everywhere(const char* property, F&& f){
#define CHARM_WORKLOADS_HOLD(Type)                                                               \
  EXPECT_TRUE(rc::check(std::string(property) + " on " + Type::name, std::function<void()>([&] { \
                          Type executor(3);                                                      \
                          f(executor);                                                           \
                        })));
    CHARM_WORKLOADS_EXECUTORS(CHARM_WORKLOADS_HOLD)
#undef CHARM_WORKLOADS_HOLD
}

TEST(Betweenness, IsTheShareOfShortestPathsThroughAVertex) {
  hold_everywhere("betweenness", [](auto& e) {
    auto plain = *any_graph();
    RC_PRE(plain.vertices < 60);  // the slow way takes the cube
    std::vector<Vertex> sources;
    const int count = *rc::gen::inRange(1, 5);
    for (int i = 0; i < count; ++i) sources.push_back(*rc::gen::inRange(0, plain.vertices));
    Array<float> scores;
    std::string wrong;
    e.run([&] {
      const auto graph = to_csr(e, plain);
      scores = betweenness(e, graph, sources);
      wrong = validate_betweenness(graph, sources, scores);
    });
    RC_ASSERT(wrong == "");
    const auto expected = slow_betweenness(plain, sources);
    for (int v = 0; v < plain.vertices; ++v)
      RC_ASSERT(std::fabs(expected[place(v)] - static_cast<double>(scores[v])) < 1e-5);
  });
}

/// Pairs of vertices one after the other, each joined with all of the next pair: 2^count shortest paths to the last.
/// From the same source a path of single vertices of the same length, if asked for.
PlainGraph chain_of_pairs(int count, bool beside_a_path) {
  const int path = 2 * (count + 1);
  PlainGraph graph{path + (beside_a_path ? count : 0), false, {}};
  for (int i = 0; i < count; ++i) {
    for (int a = 0; a < 2; ++a)
      for (int b = 0; b < 2; ++b) graph.drawn.emplace_back(2 * i + a, 2 * i + 2 + b);
    if (beside_a_path) graph.drawn.emplace_back(i == 0 ? 0 : path + i - 1, path + i);
  }
  return graph;
}

TEST(Betweenness, CountsMorePathsThanANumberHolds) {
  // 2^1100 is beyond a double, 2^20000 beyond a long double. A path beside them keeps the small numbers in the level.
  for (const auto& [count, beside_a_path] : {std::pair{1100, false}, {20'000, false}, {1100, true}}) {
    const PlainGraph pairs = chain_of_pairs(count, beside_a_path);
    on_every_executor([&, last = 2 * count](auto& e) {
      const auto graph = to_csr(e, pairs);
      const std::array<Vertex, 1> source = {0};
      const auto scores = betweenness(e, graph, source);
      EXPECT_EQ(validate_betweenness(graph, source, scores), "");
      EXPECT_FLOAT_EQ(scores[0], 1);
      EXPECT_GT(scores[last - 2], 0.0F);
    });
  }
}

TEST(Betweenness, RefusesALevelWhoseNumbersOfPathsDifferTooWidely) {
  SerialExecutor e;
  const auto graph = to_csr(e, chain_of_pairs(20'000, true));
  const std::array<Vertex, 1> source = {0};
  EXPECT_THROW(betweenness(e, graph, source), Error);
}

TEST(Betweenness, OfNothingIsNothing) {
  on_every_executor([](auto& e) {
    EXPECT_EQ(betweenness(e, to_csr(e, PlainGraph{0, false, {}}), {}).size(), 0);
    const std::array<Vertex, 1> source = {1};
    const auto scores = betweenness(e, to_csr(e, PlainGraph{3, false, {}}), source);
    EXPECT_EQ(scores[1], 0.0F);
  });
}

TEST(Betweenness, AWrongScoreIsRefused) {
  SerialExecutor e;
  const auto graph = to_csr(e, PlainGraph{4, false, {{0, 1}, {1, 2}, {2, 3}}});
  const std::array<Vertex, 1> source = {0};
  auto scores = betweenness(e, graph, source);
  EXPECT_EQ(validate_betweenness(graph, source, scores), "");
  for (float wrong : {0.0F, 0.5F, std::numeric_limits<float>::quiet_NaN()}) {
    auto changed = betweenness(e, graph, source);
    changed[1] = wrong;
    EXPECT_NE(validate_betweenness(graph, source, changed), "") << wrong;
  }
  EXPECT_NE(validate_betweenness(graph, source, Array<float>(3)), "");
}

TEST(Triangles, AreTheTriplesThatAreAllJoined) {
  hold_everywhere("triangles", [](auto& e) {
    auto plain = *any_graph();
    plain.directed = false;
    std::uint64_t count = 0;
    std::uint64_t forward = 0;
    e.run([&] {
      const auto graph = to_csr(e, plain);
      count = triangles(e, graph);
      forward = count_triangles_forward(graph);
    });
    const auto expected = slow_triangles(plain);
    RC_ASSERT(count == expected);
    RC_ASSERT(forward == expected);
  });
}

TEST(Triangles, AreRightWhereVerticesAreNumberedByDegree) {
  const auto graph = Graph::generate({10, 16, 1}, {});  // Kronecker: degrees differ much
  const auto& csr = graph.data().loaded.graph;
  const auto expected = count_triangles_forward(csr);
  EXPECT_GT(expected, 10000U);
  on_every_executor([&](auto& e) { EXPECT_EQ(triangles(e, csr), expected); });
  on_every_executor([](auto& e) {
    const auto directed = to_csr(e, PlainGraph{3, true, {{0, 1}}});
    EXPECT_THROW((void)triangles(e, directed), Error);
  });
}

TEST(Source, IsTheUsersOrGapbss) {
  const auto graph = Graph::generate({8, 4, 1}, {});
  RunOptions options;
  options.source = 5;
  for (const char* kernel : {"bfs", "sssp", "bc"}) {
    const auto run = run_kernel(kernel, {}, graph, options);
    EXPECT_TRUE(run.verified) << run.detail;
    EXPECT_NE((" " + run.detail + " ").find(" 5 "), std::string::npos) << kernel << ": " << run.detail;
  }
  for (std::int64_t outside : {std::int64_t{-1}, std::int64_t{256}, std::int64_t{1} << 40}) {
    options.source = outside;
    try {
      run_kernel("bfs", {}, graph, options);
      ADD_FAILURE() << outside << " is no vertex";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(std::to_string(outside)), std::string::npos) << error.what();
      EXPECT_NE(error.remedy().find("0 to 255"), std::string::npos);
    }
  }
}

/// The lines of an answer behind its title.
std::vector<std::pair<int, double>> read_answer(const std::string& text) {
  std::istringstream lines(text.substr(text.find('\n') + 1));
  std::vector<std::pair<int, double>> values;
  int vertex = 0;
  double value = 0;
  while (lines >> vertex >> value) values.emplace_back(vertex, value);
  return values;
}

TEST(Answer, HasTheVerticesOfTheFileInAnyOrder) {
  const test::Folder folder;
  const std::string path = folder.file("graph.wel", "0 1 7\n1 2 300\n2 3 5\n4 5 1\n");
  std::vector<std::string> first;
  for (std::size_t order = 0; order < vertex_order_names.size(); ++order) {
    const auto graph = Graph::load(path, {.undirected = true, .seed = 1, .order = static_cast<VertexOrder>(order)}, {});
    std::vector<std::string> answers;
    for (const char* kernel : {"bfs", "sssp", "bc", "tc", "pr"}) {
      std::string text;
      RunOptions options;
      options.source = 1;
      options.answer = &text;
      EXPECT_TRUE(run_kernel(kernel, {}, graph, options).verified);
      if (std::string_view(kernel) != "pr") answers.push_back(text);
      EXPECT_EQ(text.rfind(std::string("# ") + kernel, 0), 0U) << text;
    }
    if (order == 0) {
      first = answers;
      using Values = std::vector<std::pair<int, double>>;
      EXPECT_EQ(read_answer(answers[0]), (Values{{0, 1}, {1, 1}, {2, 1}, {3, 2}, {4, -1}, {5, -1}}));
      EXPECT_EQ(read_answer(answers[1]), (Values{{0, 7}, {1, 0}, {2, 300}, {3, 305}, {4, -1}, {5, -1}}));
      EXPECT_EQ(answers[3], "# tc: triangles\n0\n");
    }
    EXPECT_EQ(answers, first) << vertex_order_names[order];
    std::string labels;
    RunOptions options;
    options.answer = &labels;
    run_kernel("cc", {}, graph, options);
    const auto values = read_answer(labels);
    ASSERT_EQ(values.size(), 6U);
    for (std::size_t v = 0; v < 4; ++v) EXPECT_EQ(values[v].second, values[0].second);
    EXPECT_EQ(values[4].second, values[5].second);
    EXPECT_NE(values[4].second, values[0].second);
  }
}

}  // namespace
}  // namespace charm::workloads::testing
