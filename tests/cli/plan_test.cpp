#include "cli/bench/plan.hpp"

#include <charm/error.hpp>

#include <algorithm>

#include <gtest/gtest.h>

using charm::Errc;
using charm::cli::BenchRequest;
using charm::cli::Facts;
using charm::cli::make_plan;
using charm::cli::Workload;

namespace {

/// Eight bytes a vertex: round numbers to reason about.
std::uint64_t eight_a_vertex(Workload, int scale) { return 8ULL << static_cast<unsigned>(scale); }

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

std::string refusal(const BenchRequest& request, const Facts& f = facts(), Errc code = Errc::bad_config) {
  try {
    make_plan(request, f);
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
  const auto plan = make_plan({}, facts());
  EXPECT_EQ(plan.measurements.size(), 12U);
  EXPECT_EQ(plan.policies, (std::vector<std::string>{"local"}));
  for (const auto& m : plan.measurements) {
    EXPECT_EQ(m.policy, m.runtime == "charm" ? "local" : "none");
    EXPECT_EQ(m.workers, m.runtime == "serial" ? 1 : 3);
  }
}

TEST(BenchPlan, TakesAPlaceForCharmsArraysAndRefusesOneThatNobodyUses) {
  EXPECT_EQ(make_plan({}, facts()).memory, "");
  BenchRequest request;
  request.memory = "interleaved";
  EXPECT_EQ(make_plan(request, facts()).memory, "interleaved");
  request.memory = "elsewhere";
  expect_says(refusal(request), {"--memory", "'elsewhere'", "interleaved, partitioned"});
  request.memory = "interleaved";
  request.runtimes = {"openmp"};
  expect_says(refusal(request), {"--memory", "leaves CHARM out"});
}

Facts factor_facts() {
  Facts f = facts();
  f.kernels = {"gemm", "cholesky", "lu"};
  f.factor_bytes = [](const charm::cli::FactorPlan& plan) { return static_cast<std::uint64_t>(plan.size); };
  return f;
}

TEST(BenchPlan, MakesARowOfEachBindingAndScheduleOfCharmsFactorisations) {
  BenchRequest request;
  request.workload = Workload::factor;
  auto plan = make_plan(request, factor_facts());
  EXPECT_EQ(plan.measurements.size(), 8U) << "a product is of full matrices only";
  EXPECT_FALSE(plan.factor.kernels_asked);
  EXPECT_EQ(plan.factor.size, 40000);
  request.factor.matrix = "dense";
  EXPECT_EQ(make_plan(request, factor_facts()).measurements.size(), 12U);
  EXPECT_EQ(make_plan(request, factor_facts()).factor.size, 1500);
  request.kernels = {"gemm"};
  request.factor.binds = {"core", "none"};
  request.factor.schedules = {"stream", "batch"};
  plan = make_plan(request, factor_facts());
  EXPECT_TRUE(plan.factor.kernels_asked);
  std::vector<std::string> rows;
  for (const auto& m : plan.measurements) rows.push_back(m.runtime + " " + m.bind + " " + m.schedule);
  EXPECT_EQ(rows, (std::vector<std::string>{"charm core stream", "charm core batch", "charm none stream",
                                            "charm none batch", "openmp  ", "tbb  ", "serial  "}));
}

TEST(BenchPlan, RefusesOptionsOfFactorisationsThatDoNotGoTogether) {
  BenchRequest request;
  request.workload = Workload::factor;
  request.file = "a.mtx";
  request.factor.size = 5;
  expect_says(refusal(request, factor_facts()), {"--size and --file contradict each other"});
  request.factor.size.reset();
  request.factor.matrix = "arrow";
  expect_says(refusal(request, factor_facts()), {"--matrix and --file contradict each other"});
  request.file = "";
  request.factor.matrix.reset();
  expect_says(refusal(request, factor_facts()), {"--file", "Matrix Market"});
  request.file.reset();
  request.runtimes = {"tbb"};
  request.factor.binds = {"core"};
  expect_says(refusal(request, factor_facts()), {"--bind", "leaves CHARM out"});
  request.factor.binds.clear();
  request.factor.schedules = {"batch"};
  expect_says(refusal(request, factor_facts()), {"--schedule", "leaves CHARM out"});
  request.runtimes.clear();
  Facts small = factor_facts();
  small.available_bytes = 39999;
  expect_says(refusal(request, small), {"--size 40000 of laplace2d", "smaller --size"});
}

TEST(BenchPlan, KeepsTheRowsOfAKernelTogetherSoThatTheyCanTakeTurns) {
  BenchRequest request;
  request.policies = {"local", "distributed"};
  const auto rows = make_plan(request, facts()).measurements;
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
  const auto rows = make_plan(request, facts()).measurements;
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].runtime, "openmp");
  EXPECT_EQ(rows[1].policy, "distributed");
  EXPECT_EQ(rows[2].policy, "os");
}

TEST(BenchPlan, TrialsThatWereAskedForHoldForEveryKernel) {
  BenchRequest request;
  request.trials = 7;
  for (const auto& m : make_plan(request, facts()).measurements) EXPECT_EQ(m.trials, 7);
}

TEST(BenchPlan, RefusesUnknownNamesAndListsTheKnown) {
  BenchRequest kernel;
  kernel.kernels = {"bfs", "tsp"};
  expect_says(refusal(kernel), {"--kernel", "'tsp'", "bfs, pr, graph500"});
  BenchRequest runtime;
  runtime.runtimes = {"cilk"};
  expect_says(refusal(runtime), {"--runtime", "'cilk'", "openmp"});
  BenchRequest policy;
  policy.policies = {"scatter"};
  expect_says(refusal(policy), {"--policy", "'scatter'", "local, distributed, os"});
}

TEST(BenchPlan, RefusesAnUnknownPolicyOfTheSettings) {
  Facts f = facts();
  f.policy = "scatter";
  expect_says(refusal({}, f), {"'scatter'"});
  BenchRequest without_charm;
  without_charm.runtimes = {"tbb"};
  EXPECT_EQ(refusal(without_charm, f), "") << "a policy that nobody uses harms nobody";
}

TEST(BenchPlan, RefusesOptionsThatContradictEachOther) {
  BenchRequest both;
  both.scale = 10;
  both.file = "graph.el";
  expect_says(refusal(both), {"--scale", "--file"});
  BenchRequest policy;
  policy.runtimes = {"openmp"};
  policy.policies = {"local"};
  expect_says(refusal(policy), {"--policy", "--runtime"});
  BenchRequest undirected;
  undirected.undirected = true;
  expect_says(refusal(undirected), {"--undirected", "--file"});
}

TEST(BenchPlan, RefusesMoreWorkersThanCoresUnlessTheyMayShare) {
  BenchRequest request;
  request.workers = 5;
  expect_says(refusal(request, facts(), Errc::too_many_workers), {"5 workers", "4 allowed cores", "--workers 4"});
  Facts sharing = facts();
  sharing.share_cores = true;
  EXPECT_EQ(make_plan(request, sharing).workers, 5);
}

TEST(BenchPlan, RefusesWhatCannotFitInMemoryAndSaysWhatWould) {
  BenchRequest request;
  request.scale = 30;  // 8 GiB
  Facts f = facts();
  f.available_bytes = 3ULL << 30U;
  expect_says(refusal(request, f), {"--scale 30", "8 GiB", "3 GiB", "--scale 28"});
  request.scale = 28;
  EXPECT_EQ(refusal(request, f), "");
  f.available_bytes.reset();
  request.scale = 30;
  EXPECT_EQ(refusal(request, f), "") << "what is not known cannot be held against the user";
}

TEST(BenchPlan, SamplesHaveDefaultsAndMustFitInMemory) {
  Facts f = facts();
  f.sgd_bytes = [](const charm::cli::SgdPlan& sgd, int) {
    return static_cast<std::uint64_t>(sgd.rows) * static_cast<std::uint64_t>(sgd.features) * 4;
  };
  f.available_bytes = 3ULL << 30U;
  BenchRequest request;
  request.workload = Workload::sgd;
  EXPECT_EQ(make_plan(request, f).sgd.rows, 10000);
  request.sgd.rows = 1000000;
  request.sgd.features = 1024;
  expect_says(refusal(request, f), {"--rows 1000000", "3.81 GiB", "3 GiB", "--rows 500000"});
  request.sgd.rows = 2;
  request.sgd.features = 2000000000;
  expect_says(refusal(request, f), {"--features"});
  request.sgd.rows.reset();
  request.file = "samples.svm";
  expect_says(refusal(request, f), {"--features", "--file"});
}

TEST(BenchPlan, TransactionsHaveDefaultsOfTheirOwnAndARefusalForTooLittleMemory) {
  BenchRequest request;
  request.workload = Workload::oltp;
  request.seed = 9;
  Facts f = facts();
  f.kernels = {"ycsb-a", "tpcc"};
  f.runtimes = {"charm", "threads"};
  f.needed_bytes = [](Workload, int) { return ~0ULL; };  // is about graphs
  f.oltp_bytes = [](const charm::workloads::OltpOptions& oltp, const std::vector<std::string>& kernels) {
    return static_cast<std::uint64_t>(oltp.records) * kernels.size();
  };
  f.available_bytes = 3000000;
  const auto plan = make_plan(request, f);
  EXPECT_EQ(plan.oltp.records, 1000000);
  EXPECT_EQ(plan.oltp.seed, 9U);
  EXPECT_EQ(plan.oltp.workers, 3);
  EXPECT_EQ(plan.measurements.size(), 4U);
  request.oltp.records = 2000000;
  expect_says(refusal(request, f), {"--records 2000000", "are available", "take fewer"});
  request.oltp.records = 1000;
  request.oltp.data = "";
  expect_says(refusal(request, f), {"--data", "empty"});
}

}  // namespace
