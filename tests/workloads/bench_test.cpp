// The entry for benchmarks: every kernel on every runtime is verified, trials add up, and bad requests are refused.
#include <charm/error.hpp>

#include <algorithm>

#include <gtest/gtest.h>

#include "base/folder.hpp"
#include "workloads/executors.hpp"
#include "workloads/graph/graph500.hpp"
#include "workloads/kernel_run.hpp"

namespace charm::workloads::testing {
namespace {

TEST(Bench, RunsEveryKernelOnEveryRuntimeVerified) {
  const auto graph = Graph::generate({10, 16, 1}, {});
  EXPECT_EQ(graph.vertices(), 1024);
  EXPECT_FALSE(graph.directed());
  for (const auto& runtime : runtimes()) {
    for (const auto& kernel : graph_kernels()) {
      RunOptions options;
      options.trials = 2;
      int calls = 0;
      const auto run =
          run_kernel(kernel, {runtime, 3}, graph, options, [&](const auto& k, const auto& r, int trial, int trials) {
            EXPECT_EQ(k, kernel);
            EXPECT_EQ(r, runtime);
            EXPECT_EQ(trial, calls++);
            EXPECT_EQ(trials, 2);
          });
      EXPECT_TRUE(run.verified) << kernel << " on " << runtime << ": " << run.detail;
      EXPECT_EQ(run.seconds.size(), 2U);
      EXPECT_EQ(run.work.size(), 2U);
      EXPECT_EQ(run.unit, "MTEPS");
      EXPECT_GT(rate(run), 0);
      EXPECT_EQ(calls, 2);
    }
    const auto gups = run_gups(10, {runtime, 3}, 2);
    EXPECT_TRUE(gups.verified) << runtime << ": " << gups.detail;
    EXPECT_EQ(gups.work, (std::vector<double>{4096, 4096}));
    EXPECT_EQ(gups.unit, "GUP/s");
  }
}

TEST(Bench, StartsTheSameTrialAtTheSameSourceForAnyRuntimeAndSplitOfTrials) {
  const auto graph = Graph::generate({9, 4, 1}, {});
  RunOptions all;
  all.trials = 4;
  const auto together = run_kernel("bfs", {}, graph, all);
  KernelRun apart;
  for (int i = 0; i < 4; ++i) {
    RunOptions one;
    one.first_trial = i;
    auto run = run_kernel("bfs", {}, graph, one);
    if (i == 0)
      apart = run;
    else
      merge(apart, run);
  }
  EXPECT_EQ(apart.work, together.work);
  EXPECT_EQ(apart.detail, together.detail);
}

TEST(Bench, MergedRunsAreVerifiedOnlyIfAllAre) {
  KernelRun good{"bfs", "serial", "MTEPS", {1}, {4e6}, true, "fine"};
  KernelRun bad{"bfs", "serial", "MTEPS", {3}, {6e6}, false, "wrong"};
  auto run = good;
  merge(run, bad);
  EXPECT_FALSE(run.verified);
  EXPECT_EQ(run.detail, "wrong");
  merge(run, good);
  EXPECT_FALSE(run.verified);
  EXPECT_EQ(run.detail, "wrong");
  EXPECT_DOUBLE_EQ(rate(run), 4);  // the middle of 4, 2 and 4
}

template <class F>
std::string message_of(F&& f, Errc code) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    return error.what();
  }
  return "";
}

TEST(Bench, RefusesWhatItDoesNotKnowAndSaysWhatItDoes) {
  const auto graph = Graph::generate({4, 2, 1}, {});
  EXPECT_NE(message_of([&] { run_kernel("mst", {}, graph); }, Errc::bad_config).find("bfs, pr, cc, sssp"),
            std::string::npos);
  EXPECT_NE(message_of([&] { run_kernel("bfs", {"cilk", 1}, graph); }, Errc::bad_config).find("serial"),
            std::string::npos);
  for (int scale : {-1, 0, 31, 64}) {
    EXPECT_NE(message_of([&] { (void)generated_bytes({scale, 16, 1}); }, Errc::bad_input), "") << scale;
    EXPECT_NE(message_of([&] { (void)Graph::generate({scale, 16, 1}, {}); }, Errc::bad_input), "") << scale;
  }
  EXPECT_NE(message_of([&] { (void)Graph::generate({4, 0, 1}, {}); }, Errc::bad_input), "");
  EXPECT_NE(message_of([&] { (void)run_gups(2, {}, 1); }, Errc::bad_input), "");
  EXPECT_NE(message_of([&] { (void)run_gups(64, {}, 1); }, Errc::bad_input), "");
}

TEST(Bench, GraphsWithoutEdgesAndOfTwoVerticesAreGraphsToo) {
  const auto tiny = Graph::generate({1, 1, 1}, {});
  for (const auto& kernel : graph_kernels()) {
    const auto run = run_kernel(kernel, {}, tiny);
    EXPECT_TRUE(run.verified) << kernel << ": " << run.detail;
  }
}

TEST(Bench, RunsEveryKernelOnDirectedAndWeightedFiles) {
  const test::Folder folder;
  for (const char* text : {"0 1 3\n1 2 4\n2 0 5000\n3 1 1\n4 4 0\n", "0 1\n1 2\n2 0\n", "0 1 .5\n2 1 -3\n"}) {
    const std::string path = folder.file("graph.el", text);
    for (bool undirected : {false, true}) {
      const auto graph = Graph::load(path, {undirected, 1}, {});
      EXPECT_EQ(graph.directed(), !undirected);
      EXPECT_EQ(graph.describe().find("sssp draws") != std::string::npos,
                std::string(text).find(".5") != std::string::npos);
      for (const auto& kernel : graph_kernels()) {
        RunOptions options;
        options.trials = 3;
        const auto run = run_kernel(kernel, {runtimes().front(), 3}, graph, options);
        EXPECT_TRUE(run.verified) << kernel << " on " << text << ": " << run.detail;
      }
    }
  }
}

TEST(Graph500, RatesAreAveragedHarmonically) {
  // 1, 2 and 4 edges per second: the harmonic mean is 3 / (1 + 1/2 + 1/4).
  const auto s = teps_statistics({{1, 1}, {1, 4}, {2, 4}});
  EXPECT_DOUBLE_EQ(s.harmonic_mean, 12.0 / 7);
  EXPECT_DOUBLE_EQ(s.min, 1);
  EXPECT_DOUBLE_EQ(s.first_quartile, 1.5);
  EXPECT_DOUBLE_EQ(s.median, 2);
  EXPECT_DOUBLE_EQ(s.third_quartile, 3);
  EXPECT_DOUBLE_EQ(s.max, 4);
  EXPECT_GT(s.harmonic_stddev, 0);
  EXPECT_DOUBLE_EQ(teps_statistics({}).harmonic_mean, 0);
  EXPECT_DOUBLE_EQ(teps_statistics({{2, 6}}).harmonic_mean, 3);
}

}  // namespace
}  // namespace charm::workloads::testing
