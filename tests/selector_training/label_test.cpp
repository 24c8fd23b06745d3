// Labels: graphs run in both schedules, and what a file keeps of that.
#include "tools/selector_training/label.hpp"

#include <charm/graph_selector.hpp>

#include <atomic>

#include <nlohmann/json.hpp>

#include "task_dag/costs.hpp"
#include "task_dag/graphs.hpp"
#include "tools/selector_training/families.hpp"

namespace {

using namespace charm::selector_training;

GraphPlan small_plan(const Family& family, std::uint64_t number) {
  GenerateOptions options;
  options.most_nodes = 60;
  options.most_work = 500;
  return generate(family, options, number);
}

TEST(Labels, EveryFamilyRunsInBothSchedules) {
  Running runtime(2);
  for (const Family& family : families()) {
    const GraphPlan plan = small_plan(family, 4);
    const Label label = measure(plan, {.pairs = 5, .least_run_s = 1e-5});
    SCOPED_TRACE(plan.id);
    EXPECT_GT(label.stream_ns, 0);
    EXPECT_GT(label.batch_ns, 0);
    EXPECT_EQ(label.workers, 2);
    EXPECT_LE(label.ratio.at95.low, label.ratio.value);
    EXPECT_GE(label.ratio.at95.high, label.ratio.value);
    EXPECT_EQ(label.nodes.nodes, plan.nodes.size());
    EXPECT_NEAR(label.features["log_nodes"], std::log1p(static_cast<double>(plan.nodes.size())), 1e-9);
    EXPECT_GT(label.features["cost_known"], 0);
    EXPECT_GT(label.features["log_cost"], 0);
  }
}

TEST(Labels, WhatEarlierGraphsCostIsForgotten) {
  Running runtime(1);
  auto plan = [](std::uint32_t work) {
    GraphPlan one;
    one.id = one.family = "one";
    one.kinds = {"a"};
    one.nodes.assign(40, {0, work, -1, {}});
    return one;
  };
  const Label dear = measure(plan(200'000), {.pairs = 5, .least_run_s = 1e-6});
  const Label cheap = measure(plan(1), {.pairs = 5, .least_run_s = 1e-6});
  EXPECT_LT(cheap.features["log_cost"], dear.features["log_cost"] - 2);
}

TEST(Labels, AConditionRunsTheEdgeThatThePlanSays) {
  Running runtime(2);
  GraphPlan plan;
  plan.id = plan.family = "choice";
  plan.kinds = {"a"};
  plan.nodes.resize(4);
  plan.nodes[0] = {0, 1, 1, {1, 2}};
  plan.nodes[2].after = {3};
  charm::task_graph graph;
  build(graph, plan);
  EXPECT_EQ(graph.num_edges(), 3U);
  EXPECT_DOUBLE_EQ(charm::GraphFeatures::of(graph)["conditional"], 2.0 / 3);
  EXPECT_TRUE(graph.run_n(3));
  plan.nodes[3].after = {2};  // 2 -> 3 -> 2
  charm::task_graph cycle;
  EXPECT_NE(error_of([&] { build(cycle, plan); }).find("has a cycle"), std::string::npos);
}

TEST(Labels, TheBetterScheduleIsThatOfTheInterval) {
  Label label;
  auto better = [&](double low, double high) {
    label.ratio.at95 = {low, high};
    return label.better();
  };
  EXPECT_EQ(better(0.5, 0.97), "batch");
  EXPECT_EQ(better(0.5, 0.99), "both");  // the difference may be below 2 %
  EXPECT_EQ(better(1.03, 1.5), "stream");
  EXPECT_EQ(better(1.01, 1.5), "both");
  EXPECT_EQ(better(0.8, 1.3), "both");
  label.stream_ns = 100;
  label.batch_ns = 125;
  EXPECT_DOUBLE_EQ(label.regret(GraphSchedule::stream), 0);
  EXPECT_DOUBLE_EQ(label.regret(GraphSchedule::batch), 0.25);
}

TEST(Labels, AreTheSameAfterWritingAndReading) {
  Running runtime(2);
  const GraphPlan plan = small_plan(families().front(), 1);
  const Label label = measure(plan, {.pairs = 5, .least_run_s = 1e-6});
  const charm::base::Json json = labelled_json(plan, label);
  const LabelledGraph read = labelled_from(charm::base::Json::parse(charm::base::json_text(json)), "here");
  EXPECT_EQ(read.plan.id, plan.id);
  EXPECT_EQ(read.label.better(), label.better());
  EXPECT_NEAR(read.label.stream_ns, label.stream_ns, 1);
  for (std::size_t f = 0; f < charm::GraphFeatures::count; ++f)
    EXPECT_NEAR(read.label.features.values[f], label.features.values[f], 1e-5);
  ASSERT_EQ(read.label.nodes.values.size(), label.nodes.values.size());
  for (std::size_t i = 0; i < label.nodes.values.size(); ++i)
    EXPECT_NEAR(read.label.nodes.values[i], label.nodes.values[i], 1e-4);
  EXPECT_EQ(read.label.nodes.offsets, label.nodes.offsets);

  auto says = [&](const char* name, const charm::base::Json& value) {
    charm::base::Json bad = json;
    bad["label"][name] = value;
    return error_of([&] { (void)labelled_from(bad, "l.jsonl, line 2"); });
  };
  EXPECT_NE(says("stream_ns", 0).find("l.jsonl, line 2 has a 'stream_ns' that is not a number above 0"),
            std::string::npos);
  EXPECT_NE(says("nodes", charm::base::Json::array()).find("features of more or fewer nodes"), std::string::npos);
  EXPECT_NE(says("features", charm::base::Json::object()).find("is no labelled task graph"), std::string::npos);
}

}  // namespace
