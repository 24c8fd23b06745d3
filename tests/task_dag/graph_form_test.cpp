// A task graph's memory, and what dump() writes of it.
#include <charm/detail/graph_node.hpp>
#include <charm/task_graph.hpp>

#include <atomic>
#include <cstddef>
#include <sstream>
#include <stdexcept>
#include <string>

#include "task_dag/graphs.hpp"
#include "thorough.hpp"

namespace {

using charm::graph_node;
using charm::subgraph;
using charm::task_graph;

TEST(GraphMemory, ANodeIsACacheLineAndChainsNeedNothingElse) {
  EXPECT_EQ(sizeof(charm::detail::GraphNode), 64U);
  task_graph graph;
  graph_node before;
  constexpr std::size_t nodes = 1'000'000;
  for (std::size_t i = 0; i < nodes; ++i) {
    graph_node node = graph.emplace([] {});
    if (i > 0) before.precede(node);
    before = node;
  }
  EXPECT_LE(graph.memory_bytes(), 128 * nodes);  // slabs double; pages that no node has touched take no memory
  const std::size_t bytes = graph.memory_bytes();
  graph.clear();
  for (std::size_t i = 0; i < nodes; ++i) graph.emplace([] {});
  EXPECT_EQ(graph.memory_bytes(), bytes);
  graph.check();
}

TEST(GraphMemory, MillionsOfNodesAreBoundedAndOneThatThrowsLeavesThemUsable) {
  const std::size_t nodes = charm::tests::thorough() ? 10'000'000 : 300'000;
  constexpr std::size_t chains = 100;
  Running runtime(2);
  for (const GraphSchedule schedule : both_schedules) {
    std::atomic<std::size_t> ran{0};
    bool fails = true;
    task_graph graph;
    graph.set_schedule(schedule);
    for (std::size_t i = 0; i < nodes; ++i) {
      graph_node node = i == nodes / 2 ? graph.emplace([&ran, &fails] {
        if (fails) throw std::runtime_error("the middle one");
        ++ran;
      })
                                       : graph.emplace([&ran] { ++ran; });
      if (i >= chains) graph.node(i - chains).precede(node);
    }
    const std::size_t bytes = graph.memory_bytes();
    EXPECT_LE(bytes, 128 * nodes);
    EXPECT_THROW(graph.run(), std::runtime_error);
    EXPECT_LT(ran, nodes - 1) << "the rest is skipped";
    fails = false;
    ran = 0;
    EXPECT_TRUE(graph.run());
    EXPECT_EQ(ran, nodes);
    EXPECT_EQ(graph.memory_bytes(), bytes);
  }
}

TEST(GraphDot, ConditionsAreDashedAndModulesAreClusters) {
  task_graph inner("inner"), outer("a \"graph\"");
  inner.emplace([] {}).name("leaf");
  auto first = outer.emplace([] { return 0; }).name("which?");
  auto module = outer.composed_of(inner).name("module");
  auto spawner = outer.emplace([](subgraph&) {});
  first.precede(module, spawner);
  module.precede(outer.emplace([] {}));
  EXPECT_EQ(outer.dump(), R"(digraph "a \"graph\"" {
  "0" [label="which?" shape=diamond];
  subgraph "cluster_1" {
    label="module: task graph 'inner'";
    "1" [shape=point];
    "1.0" [label="leaf"];
  }
  "2" [label="#2" shape=component];
  "3" [label="#3"];
  "0" -> "1" [style=dashed label="0"];
  "0" -> "2" [style=dashed label="1"];
  "1" -> "3";
}
)");
}

}  // namespace
