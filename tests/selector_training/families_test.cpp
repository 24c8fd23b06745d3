// Generated graphs are what their options say, the same for the same seed, and survive being written and read.
#include "tools/selector_training/families.hpp"

#include <charm/error.hpp>

#include <cmath>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/folder.hpp"
#include "base/random.hpp"
#include "task_dag/graphs.hpp"

namespace {

using namespace charm::selector_training;

bool has_cycle(const GraphPlan& plan) {
  std::vector<int> before(plan.nodes.size(), 0);
  std::vector<std::size_t> ready;
  for (const GraphPlan::Node& node : plan.nodes) {
    for (const std::uint32_t to : node.after) ++before[to];
  }
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i] == 0) ready.push_back(i);
  }
  for (std::size_t next = 0; next < ready.size(); ++next) {
    for (const std::uint32_t to : plan.nodes[ready[next]].after) {
      if (--before[to] == 0) ready.push_back(to);
    }
  }
  return ready.size() < plan.nodes.size();
}

TEST(Families, MakeGraphsWithinTheirBounds) {
  for (int round = 0; round < 20; ++round) {
    GenerateOptions options;
    options.seed = static_cast<std::uint64_t>(round);
    for (const Family& family : families()) {
      const GraphPlan plan = generate(family, options, static_cast<std::uint64_t>(round) * 7);
      SCOPED_TRACE(plan.id);
      EXPECT_EQ(plan.family, family.name);
      EXPECT_GE(plan.nodes.size(), 1U);
      EXPECT_LE(plan.nodes.size(), 2048U);
      EXPECT_FALSE(has_cycle(plan));
      const double mean = static_cast<double>(plan.work()) / static_cast<double>(plan.nodes.size());
      EXPECT_GE(mean, 50);  // a half of the least, since single nodes vary
      EXPECT_LE(mean, 80'000);
      EXPECT_LE(static_cast<double>(plan.work()), 2 * options.most_graph_work);
      for (const GraphPlan::Node& node : plan.nodes) {
        EXPECT_LT(node.kind, plan.kinds.size());
        if (node.choice >= 0) {
          EXPECT_LT(static_cast<std::size_t>(node.choice), node.after.size());
        }
      }
    }
  }
}

TEST(Families, OfTilesHaveTheTasksOfTheFactorisation) {
  charm::base::Random random(1);
  auto count = [&](const char* name, std::size_t nodes) {
    for (const Family& family : families()) {
      if (family.name == name) return family.shape(random, nodes).nodes.size();
    }
    return std::size_t{0};
  };
  EXPECT_EQ(count("cholesky", 20), 20U);  // 4 tiles a side: 4 * 5 * 6 / 6
  EXPECT_EQ(count("cholesky", 34), 20U);
  EXPECT_EQ(count("cholesky", 35), 35U);
  EXPECT_EQ(count("lu", 30), 30U);  // 4 tiles a side: 4 * 5 * 9 / 6
  EXPECT_EQ(count("lu", 54), 30U);
}

TEST(Families, AnEliminationTreeHasOneRootAndTwoChildrenAFront) {
  charm::base::Random random(3);
  for (const Family& family : families()) {
    if (family.name != "elimination") continue;
    const GraphPlan plan = family.shape(random, 300);
    std::vector<int> children(plan.nodes.size(), 0);
    for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
      EXPECT_EQ(plan.nodes[i].after.size(), i + 1 < plan.nodes.size() ? 1U : 0U);
      for (const std::uint32_t parent : plan.nodes[i].after) ++children[parent];
    }
    for (const int each : children) EXPECT_TRUE(each == 0 || each == 2);
  }
}

TEST(Families, TheSameSeedMakesTheSameGraphs) {
  GenerateOptions options;
  options.count = 8;
  options.most_nodes = 100;
  for (const Family& family : families()) options.families.emplace_back(family.name);
  auto text = [&] {
    std::string all;
    for (const GraphPlan& plan : generate(options)) all += charm::base::json_text(plan_json(plan));
    return all;
  };
  const std::string first = text();
  EXPECT_EQ(first, text());
  options.seed = 2;
  EXPECT_NE(first, text());
  std::set<std::string> ids;
  for (const GraphPlan& plan : generate(options)) ids.insert(plan.id);
  EXPECT_EQ(ids.size(), options.count);
  options.families = {"forest"};
  EXPECT_NE(
      error_of([&] { generate(options); }, charm::Errc::bad_config).find("unknown family of task graphs 'forest'"),
      std::string::npos);
}

TEST(GraphPlans, AreTheSameAfterWritingAndReading) {
  GenerateOptions options;
  options.most_nodes = 200;
  for (const Family& family : families()) {
    for (std::uint64_t number = 0; number < 5; ++number) {
      const GraphPlan plan = generate(family, options, number);
      const std::string text = charm::base::json_text(plan_json(plan));
      const GraphPlan read = plan_from(charm::base::Json::parse(text), "here");
      EXPECT_EQ(charm::base::json_text(plan_json(read)), text);
      EXPECT_EQ(read.edges(), plan.edges());
    }
  }
}

TEST(GraphPlans, BadOnesAreErrorsThatSayWhatIsWrong) {
  const charm::base::Json good = charm::base::Json::parse(
      R"({"id":"a","family":"f","kinds":["k"],"kind":[0,0],"work":[1,2],"after":[[1],[]],"choices":[]})");
  auto says = [&](const char* name, const char* value) {
    charm::base::Json bad = good;
    bad[name] = charm::base::Json::parse(value);
    return error_of([&] { (void)plan_from(bad, "g.jsonl, line 2"); });
  };
  EXPECT_EQ(says("id", "\"a\""), "");
  EXPECT_NE(says("id", "\"\"").find("g.jsonl, line 2 has a graph without an id"), std::string::npos);
  EXPECT_NE(says("kinds", "[]").find("no kinds"), std::string::npos);
  EXPECT_NE(says("kind", "[]").find("no nodes"), std::string::npos);
  EXPECT_NE(says("kind", "[0,1]").find("node 1 with a kind that is not a whole number below 1"), std::string::npos);
  EXPECT_NE(says("work", "[1]").find("a list 'work' that has not one entry for each node"), std::string::npos);
  EXPECT_NE(says("work", "[1,-2]").find("node 1 with work"), std::string::npos);
  EXPECT_NE(says("work", "[1,1e12]").find("node 1 with work"), std::string::npos);
  EXPECT_NE(says("after", "[[2],[]]").find("node 0 with an edge to a node"), std::string::npos);
  EXPECT_NE(says("choices", "[[0,1]]").find("a choice of an edge"), std::string::npos);
  EXPECT_NE(says("choices", "[[7,0]]").find("a choice of a node"), std::string::npos);
  EXPECT_NE(says("after", "7").find("a list 'after'"), std::string::npos);
}

TEST(GraphFiles, SayWhatTheyAre) {
  const charm::test::Folder folder;
  auto says = [&](const std::string& text, bool may_end_early = false) {
    const std::string path = folder.file("f.jsonl", text);
    return error_of([&] { (void)read_lines(path, "graphs", may_end_early); });
  };
  EXPECT_NE(error_of([&] { (void)read_lines(folder.path("none"), "labels"); }).find("does not exist"),
            std::string::npos);
  EXPECT_NE(says("").find("has no graphs of `charm batch`"), std::string::npos);
  EXPECT_NE(says("[1]\n").find("has no graphs"), std::string::npos);
  EXPECT_NE(says("{\"charm_task_dag\":\"labels\",\"version\":1}\n").find("has no graphs"), std::string::npos);
  EXPECT_NE(says("{\"charm_task_dag\":\"graphs\",\"version\":2}\n").find("of a version other than 1"),
            std::string::npos);
  const std::string header = "{\"charm_task_dag\":\"graphs\",\"version\":1}\n";
  EXPECT_EQ(says(header + "{}\n"), "");
  EXPECT_NE(says(header + "{\"a\":").find("f.jsonl, line 2 is no JSON"), std::string::npos);
  EXPECT_EQ(says(header + "{\"a\":", true), "");
  EXPECT_NE(says(header + "{\"a\":\n{}\n", true).find("line 2 is no JSON"), std::string::npos);
  EXPECT_EQ(read_lines(folder.file("g.jsonl", header + "{}\n{\"a\":"), "graphs", true).size(), 2U);
}

}  // namespace
