// `charm bench --ranks`: what is refused, and which command becomes the ranks.
#include "tools/cli/bench/ranks.hpp"

#include <charm/error.hpp>

#include <initializer_list>
#include <memory>

#include <gtest/gtest.h>

#include "tools/cli/bench/workloads/all.hpp"

namespace charm::cli {
namespace {

using Words = std::vector<std::string>;

template <class W>
BenchOptions options_of(std::optional<int> ranks = {}) {
  BenchOptions options;
  options.workload = std::make_unique<W>();
  options.request.ranks = ranks;
  return options;
}

template <class F>
std::string error_of(F&& function) {
  try {
    function();
  } catch (const Error& error) {
    EXPECT_FALSE(error.remedy().empty());
    return error.what();
  }
  return "none";
}

void expect_refused(const BenchOptions& options, const char* part, const remote::Launch& launch = {}) {
  const std::string text = error_of([&] { check_ranks(options, launch); });
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(BenchRanks, RunByTheOptionOrUnderAnMpirun) {
  EXPECT_FALSE(runs_on_ranks(options_of<GupsWorkload>(), {}));
  EXPECT_FALSE(runs_on_ranks(options_of<GupsWorkload>(), {1, "PMI_SIZE"}));
  EXPECT_TRUE(runs_on_ranks(options_of<GupsWorkload>(1), {}));
  EXPECT_TRUE(runs_on_ranks(options_of<GraphWorkload>(), {2, "PMI_SIZE"}));
  EXPECT_TRUE(runs_on_ranks(options_of<GupsWorkload>(), {1, "PMIX_RANK", true}));
  EXPECT_FALSE(runs_on_ranks(options_of<StreamclusterWorkload>(), {2, "PMI_SIZE"}));
}

TEST(BenchRanks, RefuseWhatRanksCannotKeep) {
  check_ranks(options_of<GupsWorkload>(2), {});
  check_ranks(options_of<GupsWorkload>(2), {2, "PMI_SIZE"});
  expect_refused(options_of<GupsWorkload>(3), "--ranks asks for 3, and 2 processes were started (PMI_SIZE)",
                 {2, "PMI_SIZE"});
  auto options = options_of<GraphWorkload>(2);
  options.request.runtimes = {"charm"};
  options.request.kernels = {"bfs", "pr", "graph500"};
  options.request.policies = {"local"};
  check_ranks(options, {});
  options.request.kernels = {"bfs", "sssp"};
  expect_refused(options, "--kernel: 'sssp' does not run on several ranks");
  options = options_of<SgdWorkload>(2);
  options.request.kernels = {"sgd-core", "sgd-chiplet", "sgd-node", "sgd-machine"};
  check_ranks(options, {});
  options.request.kernels = {"sgd-column"};
  expect_refused(options, "--kernel: 'sgd-column' does not run on several ranks");
  options = options_of<GraphWorkload>(2);
  options.request.runtimes = {"charm", "openmp"};
  expect_refused(options, "--runtime: 'openmp'");
  options = options_of<GraphWorkload>(2);
  options.request.policies = {"local", "distributed"};
  expect_refused(options, "--policy");
  options = options_of<GraphWorkload>(2);
  options.request.memory = "near";
  expect_refused(options, "--memory");
  options = options_of<GraphWorkload>(2);
  options.request.file = "roads.el";
  expect_refused(options, "--file");
  options = options_of<GraphWorkload>(2);
  options.report = "out.html";
  expect_refused(options, "--report");
  options = options_of<GraphWorkload>(2);
  options.request.peers = {"gapbs=folder"};
  expect_refused(options, "--peer");
  options.request.peers.clear();
  options.request.trial_seconds = 1;
  expect_refused(options, "--trial-seconds");
}

TEST(BenchRanks, RefuseGraphsThatTheyDoNotMake) {
  auto with = [](auto&& change) {
    BenchOptions options;
    auto graph = std::make_unique<GraphWorkload>();
    change(*graph);
    options.workload = std::move(graph);
    options.request.ranks = 2;
    return options;
  };
  expect_refused(with([](GraphWorkload& graph) { graph.kind = "grid"; }), "--graph: ranks generate Kronecker graphs");
  expect_refused(with([](GraphWorkload& graph) { graph.order = "rcm"; }), "--order, --source and --output");
  expect_refused(with([](GraphWorkload& graph) { graph.source = 3; }), "--order, --source and --output");
  expect_refused(with([](GraphWorkload& graph) { graph.output = "a.txt"; }), "--order, --source and --output");
  check_ranks(with([](GraphWorkload& graph) { graph.kind = "kronecker"; }), {});
}

TEST(BenchRanks, AreStartedByMpirunUnlessOneHasStartedThem) {
  const Words words = {"charm", "bench", "gups", "--ranks", "2"};
  auto command = [&](const BenchOptions& options, const remote::Launch& launch, const char* mpirun, bool colour) {
    return rank_command(options, launch, "/b/charm-bench-ranks", words, mpirun, colour);
  };
  EXPECT_EQ(
      command(options_of<GupsWorkload>(2), {}, "/m/mpirun", false),
      (Words{"/m/mpirun", "-n", "2", "/b/charm-bench-ranks", "bench", "gups", "--ranks", "2", "--color", "never"}));
  EXPECT_EQ(command(options_of<GupsWorkload>(2), {}, "/m/mpirun", true).back(), "always");
  auto chosen = options_of<GupsWorkload>(2);
  chosen.output.colour = Colour::never;  // which is among the words already
  EXPECT_EQ(command(chosen, {}, "/m/mpirun", false).back(), "2");
  for (const remote::Launch& launch : {remote::Launch{2, "PMI_SIZE"}, remote::Launch{1, "PMIX_RANK", true}}) {
    EXPECT_EQ(command(options_of<GupsWorkload>(2), launch, "/m/mpirun", false),
              (Words{"/b/charm-bench-ranks", "bench", "gups", "--ranks", "2"}));
  }
  EXPECT_EQ(command(options_of<GupsWorkload>(1), {}, "", false).front(), "/b/charm-bench-ranks");
  const std::string text = error_of([&] { command(options_of<GupsWorkload>(2), {}, "", false); });
  EXPECT_NE(text.find("2 ranks need MPI, and this build of CHARM is without"), std::string::npos) << text;
  EXPECT_NE(text.find("scripts/setup mpi"), std::string::npos) << text;
}

}  // namespace
}  // namespace charm::cli
