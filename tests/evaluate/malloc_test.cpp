// The experiment on blocks of malloc (TAPMM Figs. 8 and 9): what is planned, what follows from samples that are made up
// for machines of two nodes and of one, and what its back-end reads in the output of its children.
#include <charm/error.hpp>

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "evaluate/pretended.hpp"
#include "tools/evaluate/live.hpp"

namespace charm::evaluate {
namespace {

using charm::test::has;
using namespace test;

const char* const two_nodes = "pack:2 numa:1 l3:1(size=33554432) core:8 pu:1";
const char* const one_node = "numa:1 l3:1(size=33554432) core:2 pu:1";

Result judged_on(const char* shape, Nature nature, double noise = 0.002) {
  const Machine machine = Machine::from(shape);
  Pretended measuring(machine, nature, noise);
  return evaluated(context_of(machine, false), measuring, {"tapmm-fig8"}).results.front();
}

std::set<std::string> policies_of(const Job& job) {
  std::set<std::string> policies;
  for (const Variant& each : job.variants) policies.insert(std::get<MallocRun>(each.run).policy);
  return policies;
}

TEST(BlocksOfMalloc, AreReadUnderEachPolicyByOneThreadAndByAllOfANode) {
  const Machine machine = Machine::from(two_nodes);
  const Context context = context_of(machine, false);
  Plan plan = chosen({"tapmm-fig8"}).front()->plan(context);
  predict(plan, context.model);
  ASSERT_EQ(plan.jobs.size(), 2U);
  EXPECT_EQ(policies_of(plan.jobs[0]), (std::set<std::string>{"", "local", "interleave", "paper", "exact"}));
  EXPECT_EQ(policies_of(plan.jobs[1]), (std::set<std::string>{"", "off", "exact"}));
  std::set<std::string> names;
  for (const Job& job : plan.jobs) {
    for (const Variant& each : job.variants) EXPECT_TRUE(names.insert(each.name).second) << each.name;
  }
  for (const Variant& each : plan.jobs[0].variants) {
    const auto& run = std::get<MallocRun>(each.run);
    EXPECT_TRUE(run.cpus.size() == 1 || run.cpus.size() == 8) << each.name;
    for (const int cpu : run.cpus) EXPECT_LT(cpu, 8) << "of the first node";
    EXPECT_GE(run.bytes, 4 * 33554432U) << "more than the caches hold";
  }
  for (const Point& point : plan.points) {
    EXPECT_TRUE(names.contains(point.first) && names.contains(point.second)) << point.series;
    const bool reads = !has(point.series, "blocks");
    EXPECT_EQ(point.predicted.has_value(), reads) << point.series;
  }
}

TEST(BlocksOfMalloc, OfTwoNodesAreJudged) {
  const Result published = judged_on(two_nodes, Nature::as_published);
  EXPECT_EQ(published.verdict.finding, Finding::confirmed) << published.verdict.why;
  EXPECT_EQ(published.problems, std::vector<std::string>{});
  const Result alike = judged_on(two_nodes, Nature::alike);
  EXPECT_EQ(alike.verdict.finding, Finding::not_confirmed) << alike.verdict.why;
  EXPECT_TRUE(has(alike.verdict.why, "there is no difference")) << alike.verdict.why;
  const Result reversed = judged_on(two_nodes, Nature::reversed);
  EXPECT_EQ(reversed.verdict.finding, Finding::not_confirmed) << reversed.verdict.why;
  const Result vague = judged_on(two_nodes, Nature::as_published, 1.5);
  EXPECT_EQ(vague.verdict.finding, Finding::cannot_tell) << vague.verdict.why;
}

TEST(BlocksOfMalloc, OfOneNodeTellWhatTheMallocCostsAndWhyNoMore) {
  for (const Nature nature : {Nature::as_published, Nature::reversed}) {
    const Result result = judged_on(one_node, nature);
    EXPECT_EQ(result.state, State::measured);
    EXPECT_EQ(result.verdict.finding, Finding::cannot_tell);
    EXPECT_TRUE(has(result.verdict.why, "this machine has one")) << result.verdict.why;
    EXPECT_TRUE(has(result.verdict.why, "reading under the malloc over without it ")) << result.verdict.why;
    EXPECT_EQ(result.plan.points.size(), 4U);
    for (const Point& point : result.plan.points) EXPECT_TRUE(point.measured) << point.series;
  }
  const Result costly = judged_on(one_node, Nature::reversed);
  EXPECT_EQ(costly.plan.points.back().outcome, Outcome::fails) << "huge blocks take twice as long";
}

TEST(BlocksOfMalloc, NeedTheLibrary) {
  const Machine machine = Machine::from(two_nodes);
  Context context = context_of(machine, false);
  context.facts.why_no_malloc = "libcharm_malloc.so is nowhere";
  Pretended measuring(machine, Nature::as_published);
  const Result result = evaluated(context, measuring, {"tapmm-fig8"}).results.front();
  EXPECT_EQ(result.state, State::unmet);
  EXPECT_EQ(result.verdict.why, "it needs CHARM's malloc: libcharm_malloc.so is nowhere");
  EXPECT_EQ(measuring.measured, 0);
}

const char* const weights = R"({"roots": [
  {"cpus_of_node": 0, "weights": [{"node": 0, "weight": 0.7}, {"node": 2, "weight": 0.3}]},
  {"cpus_of_node": 2, "weights": [{"node": 0, "weight": 0.4}, {"node": 2, "weight": 0.6}]}]})";

TEST(BlocksOfMalloc, ArePlacedByTheWeightsOfTheirOwnNode) {
  EXPECT_EQ(weights_said(weights, 0), (std::map<int, double>{{0, 0.7}, {2, 0.3}}));
  EXPECT_EQ(weights_said(weights, 2), (std::map<int, double>{{0, 0.4}, {2, 0.6}}));
  EXPECT_THROW(weights_said(weights, 1), Error);
  EXPECT_THROW(weights_said("no JSON", 0), Error);
  EXPECT_THROW(weights_said(R"({"roots": [{}]})", 0), Error);
}

TEST(BlocksOfMalloc, AreNotMeasuredWhereTheKernelPutsThemElsewhere) {
  const MallocRun read{.policy = "interleave"};
  const std::map<int, double> promised{{0, 0.5}, {2, 0.5}};
  const auto lying = [](const std::string& nodes) { return R"({"read_gb_per_s": 21.5, "nodes": [)" + nodes + "]}"; };
  EXPECT_EQ(speed_said(lying(R"({"node": 0, "part": 0.52}, {"node": 2, "part": 0.48})"), read, promised), 21.5);
  EXPECT_EQ(speed_said(lying(""), read, promised), 21.5) << "the kernel does not say";
  try {
    speed_said(lying(R"({"node": 0, "part": 1})"), read, promised);
    ADD_FAILURE() << "all pages are local";
  } catch (const Error& error) {
    EXPECT_TRUE(has(error.what(), "100 % on node 0 instead of 50 % on node 0, 50 % on node 2")) << error.what();
  }
  EXPECT_EQ(speed_said(R"({"small_block_ns": 20})", {.what = Blocks::small}, promised), 20);
  EXPECT_EQ(speed_said(R"({"huge_block_us": 900})", {.what = Blocks::huge}, promised), 900);
  EXPECT_THROW(speed_said(R"({"small_block_ns": 20})", read, {}), Error) << "that is another sample";
  EXPECT_THROW(speed_said(R"({"read_gb_per_s": 0, "nodes": []})", read, {}), Error);
}

}  // namespace
}  // namespace charm::evaluate
