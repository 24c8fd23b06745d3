// The workloads on a machine of several NUMA nodes (on paper: loops and arrays are split as there, the kernel places
// nothing): every kernel gives a right answer whatever its arrays' places, the graph is the same, and parts of arrays
// and of loops are the same parts.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sched/running.hpp"
#include "workloads/executor/charm.hpp"
#include "workloads/graph/input.hpp"
#include "workloads/kernel_run.hpp"
#include "workloads/two_nodes.hpp"

namespace charm::workloads::testing {
namespace {

std::vector<Vertex> neighbours_of(const CsrGraph& graph) {
  const auto& all = graph.out.neighbours;
  return {all.begin(), all.end()};
}

TEST(PlacedWorkloads, AnswersAreRightWhereverArraysLie) {
  const auto plain = Graph::generate({.scale = 12}, {"serial", 1});
  const Running running(8, two_nodes());
  for (const auto& name : memory_names()) {
    SCOPED_TRACE(name);
    const Runner runner{"charm", 0, memory_named(name)};
    const auto graph = Graph::generate({.scale = 12}, runner);
    EXPECT_EQ(neighbours_of(graph.data().loaded.graph), neighbours_of(plain.data().loaded.graph));
    for (const std::string kernel : {"bfs", "pr", "cc", "sssp"}) {
      const auto result = run_kernel(kernel, runner, graph, {.trials = 2});
      EXPECT_TRUE(result.verified) << kernel << ": " << result.detail;
    }
    EXPECT_TRUE(run_gups(12, runner, 1).verified);
  }
}

TEST(PlacedWorkloads, OthersRunOnAGraphThatWasPlaced) {
  const Running running(8, two_nodes());
  const auto graph = Graph::generate({.scale = 10}, {"charm", 0, Memory::replicated});
  for (const std::string kernel : {"bfs", "pr", "cc", "sssp"}) {
    EXPECT_TRUE(run_kernel(kernel, {"serial", 1}, graph).verified) << kernel;
  }
}

TEST(PlacedWorkloads, AReplicatedGraphIsReadFromTheOwnNodesCopy) {
  const Running running(8, two_nodes());
  const auto whole = Graph::generate({.scale = 10}, {"charm", 0, Memory::replicated});
  const CsrGraph& graph = whole.data().loaded.graph;
  ASSERT_EQ(graph.copies.size(), 1U);
  EXPECT_EQ(neighbours_of(graph.copies[0]), neighbours_of(graph));
  EXPECT_NE(graph.copies[0].out.neighbours.data(), graph.out.neighbours.data());
  CharmExecutor executor;
  executor.place(Memory::replicated);
  std::vector<const CsrGraph*> read(8);
  executor.run(
      [&] { executor.team([&](int member, int) { read[static_cast<std::size_t>(member)] = &graph.near(executor); }); });
  const auto worker_cores = charm::worker_cores();
  for (std::size_t w = 0; w < read.size(); ++w) EXPECT_EQ(read[w]->node, worker_cores[w].node) << "worker " << w;
}

TEST(PlacedWorkloads, APartOfAnArrayLiesWhereTheLoopRunsThatPart) {
  const Running running(8, two_nodes());
  CharmExecutor executor;
  executor.place(Memory::partitioned);
  ASSERT_TRUE(executor.array_placement().in_parts());
  const auto worker_cores = charm::worker_cores();
  EXPECT_FALSE(std::is_sorted(worker_cores.begin(), worker_cores.end(), [](const WorkerCore& a, const WorkerCore& b) {
    return a.chiplet < b.chiplet;
  })) << "with workers in the order of the chiplets this test could not fail";
  constexpr Index size = 8 * 4096;
  const auto runs = executor.array_placement().runs(executor.array_placement().bounds(size), 1);
  std::vector<int> ran(size, -1);
  // The static schedule divides a range as the affine one does, and nothing of it is taken by others.
  charm::parallel_for(Index{0}, size, [&](Index i) { ran[static_cast<std::size_t>(i)] = charm::worker_id(); },
                      {.schedule = Schedule::static_});
  for (const PageRun& run : runs) {
    for (std::size_t at = run.offset; at < run.offset + run.bytes; ++at)
      ASSERT_EQ(worker_cores[static_cast<std::size_t>(ran[at])].node, run.node) << "element " << at;
  }
}

TEST(PlacedWorkloads, LoopsOverPartsCoverTheWholeRangeOnce) {
  const Running running(8, two_nodes());
  CharmExecutor executor;
  executor.place(Memory::partitioned);
  for (const Index size : {Index{0}, Index{1}, Index{100}, Index{5000}}) {
    std::vector<int> times(static_cast<std::size_t>(size));
    Index sum = 0;
    executor.run([&] {
      executor.for_parts(size, 7, [&](Index lo, Index hi) {
        EXPECT_LE(hi - lo, size <= 56 ? size : 7);
        for (Index i = lo; i < hi; ++i) ++times[static_cast<std::size_t>(i)];
      });
      sum = executor.reduce_parts(
          size, 7, Index{0},
          [](Index lo, Index hi, Index before) {
            for (Index i = lo; i < hi; ++i) before += i;
            return before;
          },
          [](Index a, Index b) { return a + b; });
    });
    EXPECT_EQ(times, std::vector<int>(static_cast<std::size_t>(size), 1));
    EXPECT_EQ(sum, size * (size - 1) / 2);
  }
}

}  // namespace
}  // namespace charm::workloads::testing
