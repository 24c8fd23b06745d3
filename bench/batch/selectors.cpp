#include "selectors.hpp"

#include <charm/graph_selector.hpp>
#include <charm/task_graph.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "task_dag/gcn.hpp"
#include "task_dag/graph_state.hpp"
#include "task_dag/node_table.hpp"

namespace {

using charm::task_dag::Gcn;
using charm::task_dag::NodeTable;

template <class F>
void time_of(const char* what, F&& step) {
  constexpr std::size_t calls = 2000;
  std::vector<double> us;
  for (std::size_t i = 0; i < calls; ++i) {
    const auto start = std::chrono::steady_clock::now();
    step();
    us.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(us.begin(), us.end());
  std::printf("%-44s %8.1f  (%.1f to %.1f)\n", what, us[calls / 2], us[calls / 20], us[calls - calls / 20]);
}

}  // namespace

void bench_selectors(int nodes) {
  std::mt19937 random(1);
  charm::task_graph graph;
  const charm::task_kind kinds[] = {charm::task_kind("one"), charm::task_kind("two"), charm::task_kind("three")};
  for (int i = 0; i < nodes; ++i) graph.emplace([] {}).kind(kinds[random() % 3]);
  std::size_t edges = 0;
  for (int e = 0; e < 2 * nodes; ++e) {
    const std::size_t from = random() % static_cast<unsigned>(nodes), to = from + 1 + random() % 100;
    if (to >= static_cast<std::size_t>(nodes)) continue;
    graph.node(from).precede(graph.node(to));
    ++edges;
  }
  graph.check();
  Gcn gcn;
  std::normal_distribution<float> normal(0, 0.3F);
  auto fill = [&](auto& numbers) { std::generate(numbers.begin(), numbers.end(), [&] { return normal(random); }); };
  fill(gcn.convolution1), fill(gcn.convolution2), fill(gcn.dense1), fill(gcn.dense2), gcn.scale.fill(1);

  std::printf("%d nodes, %zu edges, one core; medians of 2000 calls in us, with the 5th and the 95th of 100\n", nodes,
              edges);
  volatile double sink = 0;
  time_of("features of the graph (tree, logistic)", [&] { sink = charm::GraphFeatures::of(graph, 2).values[0]; });
  time_of("features of its nodes (gcn)",
          [&] { sink = static_cast<double>(NodeTable::of(charm::detail::state_of(graph)).values[0]); });
  const NodeTable table = NodeTable::of(charm::detail::state_of(graph));
  time_of("the network on them", [&] { sink = static_cast<double>(gcn.logits(table)[0]); });
}
