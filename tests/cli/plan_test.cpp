#include <charm/error.hpp>

#include <algorithm>

#include <gtest/gtest.h>

#include "tools/cli/bench/workloads/all.hpp"

using charm::Errc;
using charm::cli::BenchRequest;
using charm::cli::FactorWorkload;
using charm::cli::Facts;
using charm::cli::GraphWorkload;
using charm::cli::make_plan;
using charm::cli::SgdWorkload;
using charm::cli::StreamclusterWorkload;
using charm::cli::Workload;

namespace {

/// Eight bytes a vertex: round numbers to reason about.
std::uint64_t eight_a_vertex(const Workload& workload, const charm::cli::BenchPlan&) {
  const auto* graph = dynamic_cast<const GraphWorkload*>(&workload);
  return graph == nullptr ? 0 : 8ULL << static_cast<unsigned>(graph->scale_or_default());
}

Facts facts() {
  Facts f;
  f.kernels = {"bfs", "pr", "graph500"};
  f.runtimes = {"charm", "openmp", "tbb", "serial"};
  f.policies = {"local", "distributed", "os"};
  f.memories = {"interleaved", "partitioned"};
  f.policy = "local";
  f.workers = 3;
  f.cores = 4;
  f.needed_bytes = eight_a_vertex;
  return f;
}

std::string refusal(const Workload& workload, const BenchRequest& request, const Facts& f = facts(),
                    Errc code = Errc::bad_config) {
  try {
    make_plan(workload, request, f);
  } catch (const charm::Error& error) {
    EXPECT_EQ(error.code(), code);
    EXPECT_FALSE(error.remedy().empty()) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    return error.what();
  }
  return "";
}

void expect_says(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << "'" << text << "' lacks '" << part << "'";
}

TEST(BenchPlan, WithoutOptionsRunsEveryKernelOnEveryRuntime) {
  const auto plan = make_plan(GraphWorkload(), {}, facts());
  EXPECT_EQ(plan.measurements.size(), 12U);
  EXPECT_EQ(plan.policies, (std::vector<std::string>{"local"}));
  for (const auto& m : plan.measurements) {
    EXPECT_EQ(m.policy, m.runtime == "charm" ? "local" : "none");
    EXPECT_EQ(m.workers, m.runtime == "serial" ? 1 : 3);
  }
}

TEST(BenchPlan, TakesAPlaceForCharmsArraysAndRefusesOneThatNobodyUses) {
  EXPECT_EQ(make_plan(GraphWorkload(), {}, facts()).memory, "");
  BenchRequest request;
  request.memory = "interleaved";
  EXPECT_EQ(make_plan(GraphWorkload(), request, facts()).memory, "interleaved");
  request.memory = "elsewhere";
  expect_says(refusal(GraphWorkload(), request), {"--memory", "'elsewhere'", "interleaved, partitioned"});
  request.memory = "interleaved";
  request.runtimes = {"openmp"};
  expect_says(refusal(GraphWorkload(), request), {"--memory", "leaves CHARM out"});
}

Facts factor_facts() {
  Facts f = facts();
  f.kernels = {"gemm", "cholesky", "lu"};
  f.needed_bytes = [](const Workload& workload, const charm::cli::BenchPlan&) {
    return static_cast<std::uint64_t>(dynamic_cast<const FactorWorkload&>(workload).columns());
  };
  return f;
}

TEST(BenchPlan, MakesARowOfEachBindingAndScheduleOfCharmsFactorisations) {
  BenchRequest request;
  FactorWorkload factor;
  auto plan = make_plan(factor, request, factor_facts());
  EXPECT_EQ(plan.measurements.size(), 8U) << "a product is of full matrices only";
  EXPECT_FALSE(plan.kernels_asked);
  EXPECT_EQ(factor.columns(), 40000);
  factor.matrix = "dense";
  EXPECT_EQ(make_plan(factor, request, factor_facts()).measurements.size(), 12U);
  EXPECT_EQ(factor.columns(), 1500);
  request.kernels = {"gemm"};
  factor.binds = {"core", "none"};
  factor.schedules = {"stream", "batch"};
  plan = make_plan(factor, request, factor_facts());
  EXPECT_TRUE(plan.kernels_asked);
  std::vector<std::string> rows;
  for (const auto& m : plan.measurements) rows.push_back(m.runtime + " " + m.bind + " " + m.schedule);
  EXPECT_EQ(rows, (std::vector<std::string>{"charm core stream", "charm core batch", "charm none stream",
                                            "charm none batch", "openmp  ", "tbb  ", "serial  "}));
}

TEST(BenchPlan, RefusesOptionsOfFactorisationsThatDoNotGoTogether) {
  BenchRequest request;
  FactorWorkload factor;
  request.file = "a.mtx";
  factor.size = 5;
  expect_says(refusal(factor, request, factor_facts()), {"--size and --file contradict each other"});
  factor.size.reset();
  factor.matrix = "arrow";
  expect_says(refusal(factor, request, factor_facts()), {"--matrix and --file contradict each other"});
  request.file = "";
  factor.matrix.reset();
  expect_says(refusal(factor, request, factor_facts()), {"--file", "Matrix Market"});
  request.file.reset();
  request.runtimes = {"tbb"};
  factor.binds = {"core"};
  expect_says(refusal(factor, request, factor_facts()), {"--bind", "leaves CHARM out"});
  factor.binds.clear();
  factor.schedules = {"batch"};
  expect_says(refusal(factor, request, factor_facts()), {"--schedule", "leaves CHARM out"});
  request.runtimes.clear();
  Facts small = factor_facts();
  small.available_bytes = 39999;
  expect_says(refusal(factor, request, small), {"--size 40000 of laplace2d", "smaller --size"});
}

TEST(BenchPlan, KeepsTheRowsOfAKernelTogetherSoThatTheyCanTakeTurns) {
  BenchRequest request;
  request.policies = {"local", "distributed"};
  const auto rows = make_plan(GraphWorkload(), request, facts()).measurements;
  EXPECT_EQ(rows.size(), 15U);
  std::vector<std::string> seen;
  for (const auto& m : rows) {
    if (!seen.empty() && seen.back() == m.kernel) continue;
    EXPECT_EQ(std::count(seen.begin(), seen.end(), m.kernel), 0) << m.kernel << " comes twice";
    seen.push_back(m.kernel);
  }
}

TEST(BenchPlan, OnlyCharmIsRunOncePerPolicy) {
  BenchRequest request;
  request.kernels = {"bfs"};
  request.runtimes = {"openmp", "charm"};
  request.policies = {"distributed", "os"};
  const auto rows = make_plan(GraphWorkload(), request, facts()).measurements;
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].runtime, "openmp");
  EXPECT_EQ(rows[1].policy, "distributed");
  EXPECT_EQ(rows[2].policy, "os");
}

TEST(BenchPlan, ARowHasTheParametersThatTheSettingGivesItsPolicy) {
  EXPECT_EQ(charm::cli::with_parameters("adaptive", "adaptive:tick=0.1,idle=1"), "adaptive:tick=0.1,idle=1");
  EXPECT_EQ(charm::cli::with_parameters("adaptive", "adaptive"), "adaptive");
  EXPECT_EQ(charm::cli::with_parameters("local", "adaptive:tick=0.1"), "local");
  EXPECT_EQ(charm::cli::with_parameters("charm-alg1", "charm-alg1-group:step=2"), "charm-alg1");
}

TEST(BenchPlan, TrialsThatWereAskedForHoldForEveryKernel) {
  BenchRequest request;
  request.trials = 7;
  for (const auto& m : make_plan(GraphWorkload(), request, facts()).measurements) EXPECT_EQ(m.trials, 7);
}

TEST(BenchPlan, RefusesUnknownNamesAndListsTheKnown) {
  BenchRequest kernel;
  kernel.kernels = {"bfs", "tsp"};
  expect_says(refusal(GraphWorkload(), kernel), {"--kernel", "'tsp'", "bfs, pr, graph500"});
  BenchRequest runtime;
  runtime.runtimes = {"cilk"};
  expect_says(refusal(GraphWorkload(), runtime), {"--runtime", "'cilk'", "openmp"});
  BenchRequest policy;
  policy.policies = {"scatter"};
  expect_says(refusal(GraphWorkload(), policy), {"--policy", "'scatter'", "local, distributed, os"});
  policy.policies = {"scatter/stealing=random"};
  expect_says(refusal(GraphWorkload(), policy), {"--policy", "'scatter'"});
  policy.policies = {"local/random"};
  expect_says(refusal(GraphWorkload(), policy), {"'random' in 'local/random'", "NAME/SETTING=VALUE"});
  policy.policies = {"local/workers=3"};
  expect_says(refusal(GraphWorkload(), policy), {"sets workers", "--workers"});
  policy.policies = {"local", "os", "local"};
  expect_says(refusal(GraphWorkload(), policy), {"'local' is named twice"});
  policy.policies = {"local", "local/stealing=random"};
  EXPECT_EQ(refusal(GraphWorkload(), policy), "") << "two rows of one policy";
}

TEST(BenchPlan, RefusesAnUnknownPolicyOfTheSettings) {
  Facts f = facts();
  f.policy = "scatter";
  expect_says(refusal(GraphWorkload(), {}, f), {"'scatter'"});
  BenchRequest without_charm;
  without_charm.runtimes = {"tbb"};
  EXPECT_EQ(refusal(GraphWorkload(), without_charm, f), "") << "a policy that nobody uses harms nobody";
}

TEST(BenchPlan, RefusesOptionsThatContradictEachOther) {
  BenchRequest both;
  both.file = "graph.el";
  GraphWorkload scaled;
  scaled.scale = 10;
  expect_says(refusal(scaled, both), {"--scale", "--file"});
  BenchRequest policy;
  policy.runtimes = {"openmp"};
  policy.policies = {"local"};
  expect_says(refusal(GraphWorkload(), policy), {"--policy", "--runtime"});
  GraphWorkload undirected;
  undirected.undirected = true;
  expect_says(refusal(undirected, {}), {"--undirected", "--file"});
}

TEST(BenchPlan, RefusesMoreWorkersThanCoresUnlessTheyMayShare) {
  BenchRequest request;
  request.workers = 5;
  expect_says(refusal(GraphWorkload(), request, facts(), Errc::too_many_workers),
              {"5 workers", "4 allowed cores", "--workers 4"});
  Facts sharing = facts();
  sharing.share_cores = true;
  EXPECT_EQ(make_plan(GraphWorkload(), request, sharing).workers, 5);
}

TEST(BenchPlan, RefusesWhatCannotFitInMemoryAndSaysWhatWould) {
  GraphWorkload graph;
  graph.scale = 30;  // 8 GiB
  Facts f = facts();
  f.available_bytes = 3ULL << 30U;
  expect_says(refusal(graph, {}, f), {"--scale 30", "8 GiB", "3 GiB", "--scale 28"});
  graph.scale = 28;
  EXPECT_EQ(refusal(graph, {}, f), "");
  f.available_bytes.reset();
  graph.scale = 30;
  EXPECT_EQ(refusal(graph, {}, f), "") << "what is not known cannot be held against the user";
}

TEST(BenchPlan, SamplesHaveDefaultsAndMustFitInMemory) {
  Facts f = facts();
  f.needed_bytes = [](const Workload& workload, const charm::cli::BenchPlan&) {
    const auto made = dynamic_cast<const SgdWorkload&>(workload).samples();
    return static_cast<std::uint64_t>(made.rows) * static_cast<std::uint64_t>(made.features) * 4;
  };
  f.available_bytes = 3ULL << 30U;
  BenchRequest request;
  SgdWorkload sgd;
  EXPECT_EQ(sgd.samples().rows, 10000);
  sgd.rows = 1000000;
  sgd.features = 1024;
  expect_says(refusal(sgd, request, f), {"--rows 1000000", "3.81 GiB", "3 GiB", "--rows 500000"});
  sgd.rows = 2;
  sgd.features = 2000000000;
  expect_says(refusal(sgd, request, f), {"--features"});
  sgd.rows.reset();
  request.file = "samples.svm";
  expect_says(refusal(sgd, request, f), {"--features", "--file"});
  sgd.features.reset();
  request.file = "";
  expect_says(refusal(sgd, request, f), {"--file", "give the path of a sample file"});
}

TEST(BenchPlan, ClustersHaveBoundsThatLeaveANumber) {
  StreamclusterWorkload asked;
  EXPECT_EQ(asked.most_centres(), 20);
  EXPECT_EQ(asked.centres_kept(), 1000);
  asked.least = 600;
  EXPECT_EQ(asked.most_centres(), 1200) << "twice the least";
  EXPECT_EQ(asked.centres_kept(), 1200) << "those of one chunk at least";
  EXPECT_EQ(refusal(asked, {}), "");
  asked.most = 599;
  expect_says(refusal(asked, {}), {"--least 600 is above --most 599"});
  asked.most = 700;
  asked.intermediate = 699;
  expect_says(refusal(asked, {}), {"--intermediate 699", "up to 700", "take --intermediate 700 or more"});
  asked.intermediate.reset();
  Facts small = facts();
  small.available_bytes = 9;
  small.needed_bytes = [](const Workload&, const charm::cli::BenchPlan&) { return std::uint64_t{10}; };
  expect_says(refusal(asked, {}, small), {"--points 16384 of --dimensions 128 need about 10", "take fewer --points"});
  BenchRequest request;
  request.file = "points.bin";
  EXPECT_EQ(refusal(asked, request, small), "") << "a file's size is not known yet";
  asked.points = 5;
  expect_says(refusal(asked, request), {"--points and --file contradict each other"});
}

TEST(BenchPlan, EveryWorkloadHasItsWordsAndRunsEachKernelByDefault) {
  std::vector<std::string> names;
  charm::cli::for_each_workload([&](const Workload& each) {
    names.emplace_back(each.text().name);
    EXPECT_NE(std::string(each.text().example).find("charm bench " + names.back() + " "), std::string::npos);
    EXPECT_EQ(std::string(each.text().file).empty(), std::string(each.text().file_format).empty()) << names.back();
    Facts f = facts();
    f.kernels = each.kernels();
    f.runtimes = each.runtimes();
    std::vector<std::string> planned;
    for (const auto& row : make_plan(each, {}, f).measurements)
      if (planned.empty() || planned.back() != row.kernel) planned.push_back(row.kernel);
    std::vector<std::string> expected = f.kernels;
    if (names.back() == "factor") std::erase(expected, "gemm");  // these run only where they are asked for
    if (names.back() == "sgd") std::erase(expected, "sgd-column");
    EXPECT_EQ(planned, expected) << names.back();
  });
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
}

TEST(BenchPlan, TransactionsNeedMemoryForTheKernelsThatRun) {
  charm::cli::OltpWorkload asked;
  Facts f = facts();
  f.kernels = {"ycsb-a", "tpcc"};
  f.runtimes = {"charm", "threads"};
  f.available_bytes = 3000000;
  f.needed_bytes = [](const Workload& workload, const charm::cli::BenchPlan& plan) {
    const auto& options = dynamic_cast<const charm::cli::OltpWorkload&>(workload).asked;
    return static_cast<std::uint64_t>(options.records) * plan.kernels.size();
  };
  EXPECT_EQ(make_plan(asked, {}, f).measurements.size(), 4U);
  asked.asked.records = 2000000;
  expect_says(refusal(asked, {}, f), {"--records 2000000", "are available", "take fewer"});
  BenchRequest one;
  one.kernels = {"tpcc"};
  EXPECT_EQ(refusal(asked, one, f), "");
  asked.asked.records = 1000;
  asked.data = "";
  expect_says(refusal(asked, {}, f), {"--data", "empty"});
}

}  // namespace
