// A graph as the graph network reads it: features of each node, and each node's neighbours.
//
// Source: ABSS §3.2 (in-degree, out-degree, type, type-degree, conditional edges). Group size, depth and cost are
// additions: the network has to know which nodes are ready together and what a node costs, which the shape does not
// show.
#pragma once

#include <charm/task_graph.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace charm::detail {
class GraphState;
}

namespace charm::task_dag {

struct NodeTable {
  static constexpr std::size_t features = 8;
  /// The columns of `values`; models name them, so that a model of other features is refused.
  /// - log_in, log_out: logarithms of 1 + the number of edges to the node (without conditional ones) and from it
  /// - log_types: logarithm of 1 + the number of kinds among its successors
  /// - log_group: logarithm of 1 + the number of nodes of its kind in its level
  /// - type: the kind's place in the order in which kinds first appear, by the number of kinds
  /// - conditional: 1 if a conditional edge leads to it
  /// - log_depth: logarithm of 1 + its level
  /// - log_cost: logarithm of 1 + the mean cost of its kind in nanoseconds; 0 where the kind was not measured
  static const std::array<std::string_view, features> names;

  std::uint32_t nodes = 0;
  std::vector<float> values;              // nodes × features
  std::vector<std::uint32_t> offsets;     // nodes + 1, into `neighbours`
  std::vector<std::uint32_t> neighbours;  // by edges in either direction
  /// All nodes, in windows within which those with fewer neighbours come first. A loop in this order seldom mispredicts
  /// the number of neighbours, and finds most of their rows in the nearest cache.
  std::vector<std::uint32_t> by_degree;

  /// Of a graph that is prepared and does not run.
  static NodeTable of(const detail::GraphState& graph);

  /// Fills `offsets`, `neighbours` and `by_degree`. \param for_edges calls the function that it is given with both ends
  /// of every edge; it is called twice.
  template <class ForEdges>
  void connect(ForEdges&& for_edges) {
    offsets.assign(std::size_t{nodes} + 1, 0);
    for_edges([&](std::uint32_t from, std::uint32_t to) {
      ++offsets[from];
      ++offsets[to];
    });
    std::uint32_t sum = 0;
    for (std::uint32_t& offset : offsets) sum += offset, offset = sum;  // the ends; filling lowers them to the starts
    neighbours.resize(sum);
    for_edges([&](std::uint32_t from, std::uint32_t to) {
      neighbours[--offsets[from]] = to;
      neighbours[--offsets[to]] = from;
    });
    sort_by_degree();
  }

 private:
  void sort_by_degree();
};

}  // namespace charm::task_dag
