#include "task_dag/node_table.hpp"

#include <algorithm>
#include <cmath>

#include "task_dag/costs.hpp"
#include "task_dag/graph_state.hpp"

namespace charm::task_dag {

using detail::GraphNode;
using detail::GraphNodeType;
using detail::GraphState;

const std::array<std::string_view, NodeTable::features> NodeTable::names = {
    "log_in", "log_out", "log_types", "log_group", "type", "conditional", "log_depth", "log_cost"};

namespace {

/// log(1 + n), from a table where n is small, as most degrees are.
class Logarithms {
 public:
  Logarithms() {
    for (std::size_t n = 0; n < few_.size(); ++n) few_[n] = static_cast<float>(std::log1p(static_cast<double>(n)));
  }
  float operator()(std::uint32_t n) const {
    return n < few_.size() ? few_[n] : static_cast<float>(std::log1p(static_cast<double>(n)));
  }

 private:
  std::array<float, 256> few_{};
};

/// What is the same for all nodes of a kind.
struct KindOfNode {
  float type = -1, log_cost = 0;
  std::uint32_t seen_by = UINT32_MAX;  // the node that has counted it last
  std::uint32_t in_level = 0;
};

/// The nodes in the order of their levels: T. H. Cormen et al., topological sort by Kahn (1962), a level at a time.
/// Edges from conditions do not count, so that there is no cycle.
struct InLevels {
  std::vector<std::uint32_t> order;  // nodes
  std::vector<std::uint32_t> ends;   // of the levels, in `order`

  explicit InLevels(const GraphState& graph) {
    const std::uint32_t size = graph.size();
    std::vector<std::uint32_t> left(size);
    order.reserve(size);
    for (std::uint32_t i = 0; i < size; ++i) {
      left[i] = graph.at(i)->predecessors;
      if (left[i] == 0) order.push_back(i);
    }
    for (std::size_t next = 0; next < order.size();) {
      ends.push_back(static_cast<std::uint32_t>(order.size()));
      for (const std::size_t end = order.size(); next < end; ++next) {
        const GraphNode& node = *graph.at(order[next]);
        if (node.type->kind == GraphNodeType::Kind::condition) continue;
        const std::uint32_t* successors = node.successors();
        for (std::uint32_t e = 0; e < node.successor_count; ++e) {
          if (--left[successors[e]] == 0) order.push_back(successors[e]);
        }
      }
    }
  }
};

}  // namespace

void NodeTable::sort_by_degree() {
  constexpr std::uint32_t window = 256;  // whose rows fit into the nearest cache
  constexpr std::uint32_t buckets = 64;  // by degree; the last has all that are larger
  by_degree.resize(nodes);
  auto bucket = [&](std::uint32_t node) { return std::min(offsets[node + 1] - offsets[node], buckets - 1); };
  for (std::uint32_t begin = 0; begin < nodes; begin += window) {
    const std::uint32_t end = std::min(nodes, begin + window);
    std::array<std::uint32_t, buckets + 1> start{begin};
    for (std::uint32_t i = begin; i < end; ++i) ++start[bucket(i) + 1];
    for (std::uint32_t b = 1; b <= buckets; ++b) start[b] += start[b - 1];
    for (std::uint32_t i = begin; i < end; ++i) by_degree[start[bucket(i)]++] = i;
  }
}

NodeTable NodeTable::of(const GraphState& graph) {
  static const Logarithms log1;
  NodeTable table;
  table.nodes = graph.size();
  table.values.resize(table.nodes * features);
  table.connect([&](auto&& edge) {
    for (std::uint32_t i = 0; i < table.nodes; ++i) {
      const GraphNode& node = *graph.at(i);
      const std::uint32_t* successors = node.successors();
      for (std::uint32_t e = 0; e < node.successor_count; ++e) edge(i, successors[e]);
    }
  });

  std::vector<KindOfNode> kinds(Costs::most_kinds);
  float types = 0;
  for (std::uint32_t i = 0; i < table.nodes; ++i) {
    const std::uint16_t number = graph.at(i)->kind;
    KindOfNode& kind = kinds[number];
    if (kind.type >= 0) continue;
    kind.type = types++;
    const Costs::Cost cost = costs.of(number);
    if (cost.samples > 0) kind.log_cost = static_cast<float>(std::log1p(cost.mean * ns_per_tick()));
  }

  const InLevels levels(graph);
  std::uint32_t begin = 0;
  for (std::uint32_t level = 0; level < levels.ends.size(); begin = levels.ends[level++]) {
    const std::uint32_t end = levels.ends[level];
    for (std::uint32_t k = begin; k < end; ++k) ++kinds[graph.at(levels.order[k])->kind].in_level;
    for (std::uint32_t k = begin; k < end; ++k) {
      const std::uint32_t i = levels.order[k];
      const GraphNode& node = *graph.at(i);
      const std::uint32_t* successors = node.successors();
      std::uint32_t different = 0;
      for (std::uint32_t e = 0; e < node.successor_count; ++e) {
        KindOfNode& after = kinds[graph.at(successors[e])->kind];
        if (after.seen_by != i) ++different;
        after.seen_by = i;
      }
      const KindOfNode& kind = kinds[node.kind];
      float* value = table.values.data() + std::size_t{i} * features;
      value[0] = log1(node.predecessors);
      value[1] = log1(node.successor_count);
      value[2] = log1(different);
      value[3] = log1(kind.in_level);
      value[4] = kind.type / types;
      value[5] = (node.flags & GraphNode::chosen) != 0 ? 1.0F : 0.0F;
      value[6] = log1(level);
      value[7] = kind.log_cost;
    }
    for (std::uint32_t k = begin; k < end; ++k) kinds[graph.at(levels.order[k])->kind].in_level = 0;
  }
  return table;
}

}  // namespace charm::task_dag
