// The graph network: the same numbers as PyTorch's, as a naive implementation's, and of the order of nodes none.
#include "task_dag/gcn.hpp"

#include <charm/graph_selector.hpp>
#include <charm/task_graph.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>
#include <random>

#include <nlohmann/json.hpp>

#include "task_dag/gcn_layers_of.hpp"
#include "task_dag/graph_state.hpp"
#include "task_dag/graphs.hpp"
#include "task_dag/selector_model.hpp"

namespace {

using charm::task_dag::Gcn;
using charm::task_dag::NodeTable;
using Json = nlohmann::json;

NodeTable table_from(const std::vector<std::vector<float>>& rows,
                     const std::vector<std::vector<std::uint32_t>>& after) {
  NodeTable table;
  table.nodes = static_cast<std::uint32_t>(rows.size());
  for (const auto& row : rows) table.values.insert(table.values.end(), row.begin(), row.end());
  table.connect([&](auto&& edge) {
    for (std::uint32_t i = 0; i < table.nodes; ++i) {
      for (const std::uint32_t to : after[i]) edge(i, to);
    }
  });
  return table;
}

/// The formulas of gcn.hpp, with a matrix S, in double precision.
std::array<double, Gcn::classes> naive_logits(const Gcn& gcn, const NodeTable& table) {
  const std::size_t n = table.nodes;
  std::vector<double> s(n * n, 0), degree(n, 1);
  for (std::size_t i = 0; i < n; ++i) degree[i] += table.offsets[i + 1] - table.offsets[i];
  for (std::size_t i = 0; i < n; ++i) {
    s[i * n + i] += 1 / degree[i];
    for (std::uint32_t e = table.offsets[i]; e < table.offsets[i + 1]; ++e)
      s[i * n + table.neighbours[e]] += 1 / std::sqrt(degree[i] * degree[table.neighbours[e]]);
  }
  auto layer = [&](const std::vector<double>& rows, std::size_t inputs, const float* weights) {
    std::vector<double> out(n * 16, 0);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        if (s[i * n + j] == 0) continue;
        for (std::size_t k = 0; k < inputs; ++k) {
          for (std::size_t c = 0; c < 16; ++c)
            out[i * 16 + c] += s[i * n + j] * rows[j * inputs + k] * static_cast<double>(weights[k * 16 + c]);
        }
      }
    }
    for (double& x : out) x = std::max(0.0, x);
    return out;
  };
  std::vector<double> x(n * 8);
  for (std::size_t i = 0; i < n * 8; ++i)
    x[i] = static_cast<double>((table.values[i] - gcn.mean[i % 8]) / gcn.scale[i % 8]);
  const std::vector<double> h = layer(layer(x, 8, gcn.convolution1.data()), 16, gcn.convolution2.data());
  std::vector<double> pool(33, 0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t c = 0; c < 16; ++c) {
      pool[c] += h[i * 16 + c] / static_cast<double>(n);
      pool[16 + c] = std::max(pool[16 + c], h[i * 16 + c]);
    }
  }
  pool[32] = std::log1p(static_cast<double>(n));
  std::array<double, Gcn::classes> out{};
  for (std::size_t c = 0; c < 3; ++c) out[c] = static_cast<double>(gcn.bias2[c]);
  for (std::size_t k = 0; k < 16; ++k) {
    double dense = static_cast<double>(gcn.bias1[k]);
    for (std::size_t p = 0; p < 33; ++p) dense += pool[p] * static_cast<double>(gcn.dense1[p * 16 + k]);
    for (std::size_t c = 0; c < 3; ++c) out[c] += std::max(0.0, dense) * static_cast<double>(gcn.dense2[k * 3 + c]);
  }
  return out;
}

Gcn random_gcn(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal(0, 0.4F);
  Gcn gcn;
  auto fill = [&](auto& numbers) { std::generate(numbers.begin(), numbers.end(), [&] { return normal(random); }); };
  fill(gcn.convolution1), fill(gcn.convolution2), fill(gcn.dense1), fill(gcn.bias1), fill(gcn.dense2), fill(gcn.bias2);
  fill(gcn.mean);
  std::generate(gcn.scale.begin(), gcn.scale.end(), [&] { return 0.5F + std::abs(normal(random)); });
  return gcn;
}

struct RandomTable {
  std::vector<std::vector<float>> rows;
  std::vector<std::vector<std::uint32_t>> after;
  RandomTable(std::uint64_t seed, std::size_t nodes, std::size_t edges) : rows(nodes), after(nodes) {
    std::mt19937_64 random(seed);
    std::normal_distribution<float> normal(0, 2);
    for (auto& row : rows) {
      for (int f = 0; f < 8; ++f) row.push_back(normal(random));
    }
    for (std::size_t e = 0; e < edges; ++e)
      after[random() % nodes].push_back(static_cast<std::uint32_t>(random() % nodes));
  }
  [[nodiscard]] NodeTable table() const { return table_from(rows, after); }
};

TEST(Gcn, GivesWhatPyTorchGives) {
  std::ifstream in(CHARM_TEST_DATA "/batch/gcn_golden.json");
  const Json golden = Json::parse(in);
  const auto model = charm::task_dag::read_gcn(golden.at("model"));
  const auto selector = charm::GraphSelector::from_text("gcn", golden.at("model").dump());
  EXPECT_EQ(selector.parameters(), 979U);
  EXPECT_TRUE(selector.needs_nodes());
  ASSERT_GE(golden.at("cases").size(), 5U);
  for (const Json& each : golden.at("cases")) {
    const auto rows = each.at("nodes").get<std::vector<std::vector<float>>>();
    const NodeTable table = table_from(rows, each.at("after").get<std::vector<std::vector<std::uint32_t>>>());
    const auto logits = each.at("logits").get<std::vector<double>>();
    const double expected = 1 / (1 + std::exp(logits[1] - logits[0]));
    SCOPED_TRACE(std::to_string(rows.size()) + " nodes");
    EXPECT_NEAR(model->batch_probability({charm::GraphFeatures(), &table}), expected, 1e-4);
    EXPECT_NEAR(charm::task_dag::model_of(selector)->batch_probability({charm::GraphFeatures(), &table}), expected,
                1e-4);
    // Each logit, through the numbers of the file.
    Gcn gcn;
    auto fill = [&](const char* name, auto& to) {
      std::size_t i = 0;
      for (const Json& row : golden.at("model").at(name)) {
        if (row.is_array()) {
          for (const Json& x : row) to.at(i++) = x.get<float>();
        } else {
          to.at(i++) = row.get<float>();
        }
      }
    };
    fill("mean", gcn.mean), fill("scale", gcn.scale), fill("convolution1", gcn.convolution1);
    fill("convolution2", gcn.convolution2), fill("dense1", gcn.dense1), fill("bias1", gcn.bias1);
    fill("dense2", gcn.dense2), fill("bias2", gcn.bias2);
    const auto own = gcn.logits(table);
    for (std::size_t c = 0; c < Gcn::classes; ++c) EXPECT_NEAR(own[c], logits[c], 1e-4);
  }
}

TEST(Gcn, GivesWhatTheFormulasGive) {
  for (const std::size_t nodes : {1U, 2U, 3U, 4U, 5U, 7U, 64U, 129U}) {
    const Gcn gcn = random_gcn(nodes);
    const NodeTable table = RandomTable(nodes, nodes, 2 * nodes).table();
    const auto expected = naive_logits(gcn, table);
    const auto own = gcn.logits(table);
    for (std::size_t c = 0; c < Gcn::classes; ++c)
      EXPECT_NEAR(own[c], expected[c], 1e-4 * std::max(1.0, std::abs(expected[c]))) << nodes << " nodes";
  }
}

TEST(Gcn, IsTheSameWithEverySetOfInstructions) {
  std::vector<charm::task_dag::GcnLayers*> others;
#if defined(CHARM_GCN_X86)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    others.push_back(charm::task_dag::gcn_layers_avx2);
  if (__builtin_cpu_supports("avx512f")) others.push_back(charm::task_dag::gcn_layers_avx512);
#endif
  if (others.empty()) GTEST_SKIP() << "this processor has one";
  const Gcn gcn = random_gcn(3);
  const NodeTable table = RandomTable(3, 301, 700).table();
  std::vector<float> scales(table.nodes), scratch(std::size_t{table.nodes} * 24);
  for (std::size_t i = 0; i < table.nodes; ++i)
    scales[i] = 1 / std::sqrt(static_cast<float>(table.offsets[i + 1] - table.offsets[i] + 1));
  auto with = [&](charm::task_dag::GcnLayers* layers) {
    std::vector<float> out(32);
    layers({table.nodes, table.values.data(), table.offsets.data(), table.neighbours.data(), scales.data(),
            table.by_degree.data()},
           {gcn.convolution1.data(), gcn.convolution2.data(), gcn.mean.data(), gcn.scale.data()}, scratch.data(),
           out.data(), out.data() + 16);
    return out;
  };
  const std::vector<float> plain = with(charm::task_dag::gcn_layers_plain);
  for (charm::task_dag::GcnLayers* layers : others) {
    const std::vector<float> other = with(layers);
    for (std::size_t i = 0; i < plain.size(); ++i)
      EXPECT_NEAR(plain[i], other[i], 1e-4F * std::max(1.0F, std::abs(plain[i])));
  }
}

TEST(Gcn, DoesNotDependOnTheOrderOfNodes) {
  const Gcn gcn = random_gcn(5);
  const RandomTable given(5, 40, 90);
  std::vector<std::uint32_t> to(40);
  std::iota(to.begin(), to.end(), 0U);
  std::shuffle(to.begin(), to.end(), std::mt19937(5));
  RandomTable other(5, 40, 0);
  for (std::size_t i = 0; i < 40; ++i) {
    other.rows[to[i]] = given.rows[i];
    other.after[to[i]].clear();
    for (const std::uint32_t j : given.after[i]) other.after[to[i]].push_back(to[j]);
  }
  const auto one = gcn.logits(given.table()), two = gcn.logits(other.table());
  for (std::size_t c = 0; c < Gcn::classes; ++c) EXPECT_NEAR(one[c], two[c], 1e-4);
}

float feature_at(const NodeTable& table, std::size_t node, const char* name) {
  const auto* found = std::find(NodeTable::names.begin(), NodeTable::names.end(), name);
  return table.values.at(node * NodeTable::features + static_cast<std::size_t>(found - NodeTable::names.begin()));
}

TEST(NodeTables, HaveWhatCanBeCountedByHand) {
  charm::task_graph graph;
  const charm::task_kind a("test table: a"), b("test table: b");
  auto first = graph.emplace([] {});
  auto choice = graph.emplace([] { return 0; });
  first.kind(a), choice.kind(a);
  first.precede(choice);
  for (int i = 0; i < 3; ++i) {
    auto child = graph.emplace([] {});
    child.kind(i < 2 ? b : a);
    first.precede(child);
  }
  auto last = graph.emplace([] {});
  last.kind(b);
  choice.precede(last);
  graph.check();
  const NodeTable table = NodeTable::of(charm::detail::state_of(graph));
  ASSERT_EQ(table.nodes, 6U);
  const auto log1 = [](double n) { return static_cast<float>(std::log1p(n)); };
  EXPECT_FLOAT_EQ(feature_at(table, 0, "log_in"), 0);
  EXPECT_FLOAT_EQ(feature_at(table, 0, "log_out"), log1(4));
  EXPECT_FLOAT_EQ(feature_at(table, 0, "log_types"), log1(2));
  EXPECT_FLOAT_EQ(feature_at(table, 2, "log_in"), log1(1));
  EXPECT_FLOAT_EQ(feature_at(table, 2, "log_group"), log1(2));  // of its kind in its level
  EXPECT_FLOAT_EQ(feature_at(table, 4, "log_group"), log1(2));  // with the condition
  EXPECT_FLOAT_EQ(feature_at(table, 2, "type"), 0.5F);
  EXPECT_FLOAT_EQ(feature_at(table, 2, "log_depth"), log1(1));
  EXPECT_FLOAT_EQ(feature_at(table, 5, "conditional"), 1);
  EXPECT_FLOAT_EQ(feature_at(table, 5, "log_depth"), 0);
  EXPECT_FLOAT_EQ(feature_at(table, 0, "conditional"), 0);
  EXPECT_FLOAT_EQ(feature_at(table, 0, "log_cost"), 0);
  EXPECT_EQ(table.offsets.back(), 10U);  // five edges, both ways
  EXPECT_EQ(table.offsets[1] - table.offsets[0], 4U);
  EXPECT_EQ(table.neighbours[table.offsets[5]], 1U);
}

TEST(NodeTables, KnowWhatTheRuntimeHasMeasured) {
  Running runtime(1);
  charm::task_graph graph;
  graph.emplace([] {}).kind(charm::task_kind("test table: measured"));
  graph.run_n(20);
  EXPECT_GT(feature_at(NodeTable::of(charm::detail::state_of(graph)), 0, "log_cost"), 0);
}

TEST(Gcn, BadModelsAreErrorsThatSayWhatIsWrong) {
  std::ifstream in(CHARM_TEST_DATA "/batch/gcn_golden.json");
  const Json good = Json::parse(in).at("model");
  auto says = [&](const char* name, const Json& value) {
    Json bad = good;
    bad[name] = value;
    return error_of([&] { charm::GraphSelector::from_text("gcn", bad.dump(), "m.json"); });
  };
  EXPECT_EQ(says("model", "gcn"), "");
  EXPECT_NE(says("version", 2).find("m.json has version 2, of which only 1 can be read"), std::string::npos);
  EXPECT_NE(says("features", Json::array({"log_in"})).find("features of nodes that are not those of this version"),
            std::string::npos);
  Json more = good.at("features");
  more.push_back("weight");
  EXPECT_NE(says("features", more).find("more features of nodes than there are"), std::string::npos);
  Json rows = good.at("convolution2");
  rows.erase(0);
  EXPECT_NE(says("convolution2", rows).find("a 'convolution2' that is not 16 rows of 16 numbers"), std::string::npos);
  rows = good.at("dense1");
  rows[32][3] = "one";
  EXPECT_NE(says("dense1", rows).find("a 'dense1' that is not 33 rows of 16 numbers"), std::string::npos);
  rows[32][3] = 1e300;  // not a number of 32 bits
  EXPECT_NE(says("dense1", rows).find("a number in 'dense1' that is not a finite number"), std::string::npos);
  Json scale = good.at("scale");
  scale[2] = 0;
  EXPECT_NE(says("scale", scale).find("a scale that is not above 0"), std::string::npos);
  Json without = good;
  without.erase("bias2");
  EXPECT_NE(
      error_of([&] { charm::GraphSelector::from_text("gcn", without.dump(), "m.json"); }).find("m.json is no model"),
      std::string::npos);
}

TEST(Gcn, NeedsTheGraphItself) {
  std::ifstream in(CHARM_TEST_DATA "/batch/gcn_golden.json");
  const auto selector = charm::GraphSelector::from_text("gcn", Json::parse(in).at("model").dump());
  EXPECT_NE(error_of([&] { (void)selector.choose(charm::GraphFeatures()); }).find("by the features of a graph alone"),
            std::string::npos);
  charm::task_graph empty, cycle;
  EXPECT_EQ(selector.choose(empty), GraphSchedule::stream);
  auto node = cycle.emplace([] {});
  node.precede(node);
  EXPECT_NE(error_of([&] { (void)selector.choose(cycle); }).find("has a cycle"), std::string::npos);
  Running runtime(2);
  charm::task_graph graph;
  int ran = 0;
  graph.emplace([&] { ++ran; });
  charm::set_selector(graph, selector);
  graph.run_n(3);
  EXPECT_EQ(ran, 3);
}

}  // namespace
