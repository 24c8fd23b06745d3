// Judging selectors: the regret, its interval, and which selector is to be the default.
#include "tools/selector_training/regret.hpp"

#include <string>

#include <gtest/gtest.h>

namespace {

using namespace charm::selector_training;
using charm::GraphSchedule;
using charm::GraphSelector;

/// \param feature log_nodes, by which models of these tests decide.
LabelledGraph labelled(const std::string& family, double stream_ns, double batch_ns, double feature = 0) {
  LabelledGraph graph;
  graph.plan.family = family;
  graph.label.stream_ns = stream_ns;
  graph.label.batch_ns = batch_ns;
  const double ratio = batch_ns / stream_ns;
  graph.label.ratio = {ratio, {ratio, ratio}, {ratio, ratio}};
  graph.label.features.values[0] = feature;
  return graph;
}

const GraphSelector& small_in_batches() {
  static const GraphSelector tree = GraphSelector::from_text("tree", R"({"model":"tree","version":1,"nodes":[
    {"feature":"log_nodes","threshold":5,"below":1,"above":2},{"batch":1},{"batch":0}]})");
  return tree;
}

Judgement judge_one(const std::vector<LabelledGraph>& graphs, const GraphSelector& selector) {
  return judge("it", graphs, [&](const std::string&) -> const GraphSelector& { return selector; });
}

TEST(Regret, IsTheTimeLostAgainstTheBetterSchedule) {
  const std::vector<LabelledGraph> graphs = {labelled("a", 100, 150, 1), labelled("a", 200, 100, 2),
                                             labelled("b", 100, 100, 9), labelled("b", 110, 100, 9)};
  const Judgement stream = judge_one(graphs, GraphSelector::from("stream"));
  EXPECT_NEAR(stream.regret.value, (0 + 1 + 0 + 0.1) / 4, 1e-12);
  EXPECT_NEAR(stream.right, 0.5, 1e-12);
  EXPECT_EQ(stream.batches, 0);
  EXPECT_NEAR(stream.gained.value, 0, 1e-12);
  const Judgement batch = judge_one(graphs, GraphSelector::from("batch"));
  EXPECT_NEAR(batch.regret.value, 0.5 / 4, 1e-12);
  EXPECT_EQ(batch.batches, 1);
  const Judgement tree = judge_one(graphs, small_in_batches());
  EXPECT_NEAR(tree.regret.value, (0.5 + 0 + 0 + 0.1) / 4, 1e-12);
  EXPECT_NEAR(tree.gained.value, (-0.5 + 1) / 4, 1e-12);
  EXPECT_EQ(tree.parameters, 3U);
  ASSERT_EQ(tree.families.size(), 2U);
  EXPECT_EQ(tree.families[0].family, "a");
  EXPECT_NEAR(tree.families[0].regret, 0.25, 1e-12);
  EXPECT_NEAR(tree.families[1].regret, 0.05, 1e-12);
  EXPECT_LE(tree.regret.at95.low, tree.regret.value);
  EXPECT_GE(tree.regret.at95.high, tree.regret.value);
}

TEST(Regret, EachFamilyIsJudgedByTheSelectorForIt) {
  const std::vector<LabelledGraph> graphs = {labelled("a", 100, 200), labelled("b", 200, 100)};
  const GraphSelector stream = GraphSelector::from("stream"), batch = GraphSelector::from("batch");
  const Judgement best = judge(
      "it", graphs, [&](const std::string& family) -> const GraphSelector& { return family == "a" ? stream : batch; });
  EXPECT_EQ(best.regret.value, 0);
  EXPECT_EQ(best.right, 1);
}

TEST(Regret, OfEqualGraphsHasNoWidth) {
  std::vector<LabelledGraph> graphs;
  for (int i = 0; i < 30; ++i) graphs.push_back(labelled(i % 2 == 0 ? "a" : "b", 110, 100));
  const Judgement stream = judge_one(graphs, GraphSelector::from("stream"));
  EXPECT_NEAR(stream.regret.at95.low, 0.1, 1e-12);
  EXPECT_NEAR(stream.regret.at95.high, 0.1, 1e-12);
}

Judgement judged(const std::string& name, std::size_t parameters, double regret, double gained, double low) {
  Judgement judgement;
  judgement.selector = name;
  judgement.parameters = parameters;
  judgement.regret = {regret, {}};
  judgement.gained = {gained, {low, gained + 0.01}};
  return judgement;
}

TEST(Verdict, IsTheSmallestModelThatGainsAPoint) {
  const Judgement stream = judged("always-stream", 0, 0.10, 0, 0);
  EXPECT_EQ(verdict({stream}).selector, "stream");
  EXPECT_EQ(verdict({stream, judged("tree", 9, 0.08, 0.02, 0.009)}).selector, "stream");  // the interval says less
  EXPECT_NE(verdict({stream, judged("tree", 9, 0.08, 0.02, 0.009)}).reason.find("'tree' loses 8"), std::string::npos);
  const Judgement logistic = judged("logistic", 17, 0.05, 0.05, 0.03), tree = judged("tree", 9, 0.06, 0.04, 0.02),
                  gcn = judged("gcn", 979, 0.03, 0.07, 0.05);
  EXPECT_EQ(verdict({stream, gcn, logistic, tree}).selector, "tree");
  EXPECT_EQ(verdict({stream, gcn, logistic}).selector, "logistic");
  EXPECT_EQ(verdict({stream, gcn}).selector, "gcn");
}

TEST(Verdict, PrefersATreeThatIsWithinHalfAPointOfTheNetwork) {
  const Judgement stream = judged("always-stream", 0, 0.10, 0, 0), gcn = judged("gcn", 979, 0.030, 0.07, 0.05);
  EXPECT_EQ(verdict({stream, gcn, judged("tree", 9, 0.034, 0.066, 0.005)}).selector, "tree");
  EXPECT_EQ(verdict({stream, gcn, judged("tree", 9, 0.036, 0.064, 0.005)}).selector, "gcn");
}

}  // namespace
