// The decision tree: comparisons of single features down to a leaf.
#include <cstdint>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "task_dag/selector_model.hpp"

namespace charm::task_dag {

namespace {

struct Tree final : detail::SelectorModel {
  struct Node {
    std::size_t feature = 0;
    double threshold = 0, probability = 0;  // of a leaf
    std::size_t below = 0, above = 0;       // 0: a leaf, since no branch leads to the root
  };
  std::vector<Node> nodes;

  /// Branches lead to later nodes only, so that every walk ends.
  explicit Tree(const base::SortedJson& json) {
    const base::SortedJson& list = json.at("nodes");
    for (std::size_t i = 0; i < list.size(); ++i) {
      const base::SortedJson& from = list.at(i);
      Node node;
      if (from.contains("batch")) {
        node.probability = from.at("batch").get<double>();
        if (!(node.probability >= 0 && node.probability <= 1))
          throw std::invalid_argument("a leaf, node " + std::to_string(i) + ", whose 'batch' is not within 0 and 1");
      } else {
        node.feature = feature_number(from.at("feature").get<std::string>());
        node.threshold = finite(from.at("threshold").get<double>(), "a threshold");
        for (const auto& [name, to] : {std::pair{"below", &node.below}, std::pair{"above", &node.above}}) {
          const auto target = from.at(name).get<std::int64_t>();
          if (target <= static_cast<std::int64_t>(i) || target >= static_cast<std::int64_t>(list.size()))
            throw std::invalid_argument("node " + std::to_string(i) + ", whose '" + name +
                                        "' is not the number of a later node");
          *to = static_cast<std::size_t>(target);
        }
      }
      nodes.push_back(node);
    }
    if (nodes.empty()) throw std::invalid_argument("no nodes");
  }
  [[nodiscard]] double batch_probability(const SelectorInput& input) const override {
    const Node* node = &nodes.front();
    while (node->below != 0)
      node = &nodes[input.features.values[node->feature] <= node->threshold ? node->below : node->above];
    return node->probability;
  }
  /// A threshold for each branch and a probability for each leaf.
  [[nodiscard]] std::size_t parameters() const noexcept override { return nodes.size(); }
};

}  // namespace

SelectorModelPointer read_tree(const base::SortedJson& model) { return std::make_shared<Tree>(model); }

}  // namespace charm::task_dag
