// A task graph's memory, and what dump() writes of it.
#include <charm/detail/graph_node.hpp>
#include <charm/task_graph.hpp>

#include <cstddef>
#include <sstream>
#include <string>

#include "batch/graphs.hpp"

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
