// Features of graphs, and the selectors that decide by them.
#include <charm/graph_selector.hpp>
#include <charm/task_graph.hpp>

#include <cmath>
#include <fstream>

#include "task_dag/graphs.hpp"

namespace {

using charm::GraphFeatures;
using charm::GraphSelector;
using charm::task_graph;

/// 1 -> 4 -> 1: what can be counted by hand.
void make_diamond(task_graph& graph) {
  auto first = graph.emplace([] {}), last = graph.emplace([] {});
  for (int i = 0; i < 4; ++i) {
    auto middle = graph.emplace([] {});
    middle.kind(charm::task_kind("test: middle"));
    first.precede(middle);
    middle.precede(last);
  }
}

TEST(Features, AreWhatCanBeCountedByHand) {
  task_graph graph;
  make_diamond(graph);
  const GraphFeatures f = GraphFeatures::of(graph, 3);
  EXPECT_DOUBLE_EQ(f["log_nodes"], std::log(7.0));
  EXPECT_DOUBLE_EQ(f["log_edges"], std::log(9.0));
  EXPECT_DOUBLE_EQ(f["depth"], std::log(4.0));
  EXPECT_DOUBLE_EQ(f["log_width"], std::log(3.0));
  EXPECT_DOUBLE_EQ(f["log_max_width"], std::log(5.0));
  EXPECT_DOUBLE_EQ(f["width_per_worker"], 2.0 / 3);
  EXPECT_DOUBLE_EQ(f["tail"], (2.0 / 3 + 2.0 / 3 + 2.0 / 3) / 3);  // 1, 4 and 1 nodes by 3 workers
  EXPECT_DOUBLE_EQ(f["mean_degree"], 8.0 / 6);
  EXPECT_DOUBLE_EQ(f["max_in"], std::log(5.0));
  EXPECT_DOUBLE_EQ(f["max_out"], std::log(5.0));
  EXPECT_DOUBLE_EQ(f["conditional"], 0);
  EXPECT_DOUBLE_EQ(f["log_kinds"], std::log(2.0));
  EXPECT_NE(error_of([&] { (void)f["no such"]; }).find("there is no feature 'no such'; the features are log_nodes, "),
            std::string::npos);
}

TEST(Features, OfAnEmptyGraphAreZero) {
  task_graph graph;
  for (const double value : GraphFeatures::of(graph, 4).values) EXPECT_EQ(value, 0);
}

TEST(Features, LeaveTheGraphReadyToRun) {
  Running runtime(2);
  task_graph graph;
  make_diamond(graph);
  auto choice = graph.emplace([] { return 5; });
  choice.precede(graph.node(2));
  const GraphFeatures before = GraphFeatures::of(graph);
  EXPECT_DOUBLE_EQ(before["conditional"], 1.0 / 9);
  EXPECT_TRUE(graph.run_n(20));
  const GraphFeatures after = GraphFeatures::of(graph);
  EXPECT_GT(after["cost_known"], 0);
  EXPECT_GT(after["log_cost"], 0);
  EXPECT_EQ(after["depth"], before["depth"]);
}

TEST(Features, OfAGraphWithACycleAreAnError) {
  task_graph graph;
  auto a = graph.emplace([] {});
  a.precede(a);
  EXPECT_NE(error_of([&] { (void)GraphFeatures::of(graph, 1); }).find("has a cycle"), std::string::npos);
}

constexpr const char* tree = R"({"model": "tree", "version": 1, "sheet": {"machine": "none"}, "nodes": [
  {"feature": "log_nodes", "threshold": 2, "below": 1, "above": 2},
  {"batch": 0.9},
  {"feature": "tail", "threshold": 0.5, "below": 3, "above": 4},
  {"batch": 0.75}, {"batch": 0.1}]})";

TEST(Selectors, ATreeWalksToItsLeaf) {
  const GraphSelector selector = GraphSelector::from_text("tree", tree);
  GraphFeatures f;
  f.values[0] = 2;  // at the threshold: below
  EXPECT_EQ(selector.batch_probability(f), 0.9);
  f.values[0] = 2.1;
  f.values[6] = 0.4;
  EXPECT_EQ(selector.batch_probability(f), 0.75);
  EXPECT_EQ(selector.choose(f), GraphSchedule::batch);
  f.values[6] = 0.6;
  EXPECT_EQ(selector.batch_probability(f), 0.1);
  EXPECT_EQ(selector.choose(f), GraphSchedule::stream);
}

TEST(Selectors, ARegressionIsTheLogisticFunctionOfItsTerms) {
  const GraphSelector selector = GraphSelector::from_text("logistic", R"({"model": "logistic", "version": 1,
    "intercept": -1, "terms": [{"feature": "log_cost", "weight": 2, "mean": 3, "scale": 4},
                               {"feature": "cost_known", "weight": 0.5}]})");
  GraphFeatures f;
  f.values[13] = 7;
  f.values[15] = 1;
  EXPECT_DOUBLE_EQ(selector.batch_probability(f), 1 / (1 + std::exp(-(-1 + 2 * (7.0 - 3) / 4 + 0.5))));
  EXPECT_TRUE(selector.needs_features());
}

TEST(Selectors, BadDescriptionsAndModelsAreErrorsThatSayWhatIsWrong) {
  auto says = [](const std::string& text, const std::string& kind = "tree") {
    return error_of([&] { GraphSelector::from_text(kind, text, "m.json"); });
  };
  auto of_nodes = [&](const std::string& nodes) {
    return says(R"({"model":"tree","version":1,"nodes":[)" + nodes + "]}");
  };
  EXPECT_NE(error_of([] { GraphSelector::from("forest"); }).find("there is no selector 'forest'; the selectors are"),
            std::string::npos);
  EXPECT_NE(error_of([] { GraphSelector::from("tree:"); }).find("there is no selector"), std::string::npos);
  EXPECT_NE(error_of([] { GraphSelector::from("tree:/no/such"); }).find("'/no/such' cannot be read"),
            std::string::npos);
  EXPECT_NE(says("{").find("m.json is no model of a selector"), std::string::npos);
  EXPECT_NE(says("[1]").find("m.json is no model"), std::string::npos);
  EXPECT_NE(says(tree, "logistic").find("of the kind 'tree' where 'logistic' is wanted"), std::string::npos);
  EXPECT_NE(says(R"({"model":"tree","version":2,"nodes":[]})").find("version 2, of which only 1 can be read"),
            std::string::npos);
  EXPECT_NE(of_nodes("").find("no nodes"), std::string::npos);
  EXPECT_NE(of_nodes(R"({"batch":1.5})").find("not within 0 and 1"), std::string::npos);
  EXPECT_NE(
      of_nodes(R"({"feature":"x","threshold":1,"below":1,"above":2})").find("the feature 'x', which there is not"),
      std::string::npos);
  EXPECT_NE(of_nodes(R"({"feature":"tail","threshold":1,"below":0,"above":0})").find("not the number of a later node"),
            std::string::npos);  // it would be walked for ever
  EXPECT_NE(of_nodes(R"({"feature":"tail","threshold":1,"below":1,"above":9},{"batch":1})").find("'above'"),
            std::string::npos);
  EXPECT_NE(says(R"({"model":"logistic","version":1,"intercept":0,"terms":[{"feature":"tail","weight":1,"scale":0}]})",
                 "logistic")
                .find("a scale that is not above 0"),
            std::string::npos);
}

TEST(Selectors, AreOfOneRegistry) {
  std::vector<std::string> names;
  for (const GraphSelector::Kind& kind : GraphSelector::kinds()) {
    names.emplace_back(kind.name);
    EXPECT_FALSE(kind.summary.empty());
    if (!kind.reads_file) {
      EXPECT_EQ(GraphSelector::from(kind.name).description(), kind.name);
    }
  }
  EXPECT_EQ(names, (std::vector<std::string>{"stream", "batch", "tree", "logistic", "gcn"}));
  EXPECT_NE(error_of([] { GraphSelector::from("gcn"); }).find("'tree:FILE', 'logistic:FILE', 'gcn:FILE'"),
            std::string::npos);
  EXPECT_NE(error_of([] { GraphSelector::from("stream:m.json"); }).find("there is no selector"), std::string::npos);
  EXPECT_NE(error_of([] {
              GraphSelector::from_text("", R"({"model":"stream","version":1})");
            }).find("of the kind 'stream', which there is not"),
            std::string::npos);
}

TEST(Selectors, AreAskedAgainAfterOneTwoFourRuns) {
  Running runtime(2);
  task_graph graph;
  graph.emplace([] {}).kind(charm::task_kind("test: asked again"));
  // A batch until the kind's cost is known, which it is after the first run.
  charm::set_selector(graph, GraphSelector::from_text("tree", R"({"model": "tree", "version": 1, "nodes": [
    {"feature": "cost_known", "threshold": 0.5, "below": 1, "above": 2}, {"batch": 1}, {"batch": 0}]})"));
  graph.run();
  EXPECT_EQ(graph.last_schedule(), GraphSchedule::batch);
  graph.run();
  EXPECT_EQ(graph.last_schedule(), GraphSchedule::stream);
  charm::set_selector(graph, GraphSelector::from("batch"));  // asked at once
  graph.run();
  EXPECT_EQ(graph.last_schedule(), GraphSchedule::batch);
}

TEST(Selectors, AreAskedAgainWhenTheGraphHasChanged) {
  Running runtime(2);
  task_graph graph;
  auto add = [&] { graph.emplace([] {}).kind(charm::task_kind("test: changed")); };
  charm::set_selector(graph, GraphSelector::from_text("tree", R"({"model": "tree", "version": 1, "nodes": [
    {"feature": "log_nodes", "threshold": 1, "below": 1, "above": 2}, {"batch": 1}, {"batch": 0}]})"));
  add();
  graph.run_n(2);  // a third run would not ask
  EXPECT_EQ(graph.last_schedule(), GraphSchedule::batch);
  for (int i = 0; i < 5; ++i) add();
  graph.run();
  EXPECT_EQ(graph.last_schedule(), GraphSchedule::stream);
}

TEST(Selectors, AGraphRunsAsItsSelectorChooses) {
  Running runtime(2);
  task_graph graph;
  make_diamond(graph);
  EXPECT_EQ(graph.schedule(), GraphSchedule::stream);
  graph.run();
  EXPECT_EQ(graph.last_schedule(), GraphSchedule::stream);
  graph.set_schedule(GraphSchedule::automatic);
  graph.run();
  EXPECT_EQ(graph.last_schedule(), GraphSchedule::stream);  // the default
  charm::set_selector(graph, GraphSelector::from("batch"));
  graph.run();
  EXPECT_EQ(graph.last_schedule(), GraphSchedule::batch);
  charm::set_selector(graph, GraphSelector::from_text("tree", tree));
  EXPECT_EQ(graph.schedule(), GraphSchedule::automatic);
  graph.run();  // log 7 is below 2
  EXPECT_EQ(graph.last_schedule(), GraphSchedule::batch);
  const std::string file = testing::TempDir() + "charm-selector.json";
  std::ofstream(file) << tree;
  EXPECT_EQ(GraphSelector::from("tree:" + file).description(), "tree:" + file);
}

}  // namespace
