#include "tools/probe/structure/linkage.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace charm::probe {
namespace {

constexpr float never = std::numeric_limits<float>::infinity();

/// Average distances between the clusters that were not merged yet, and each cluster's nearest other one.
class Clusters {
 public:
  explicit Clusters(const Distances& d)
      : n_(static_cast<std::size_t>(d.size())),
        average_(n_ * (n_ + 1) / 2, never),
        size_(n_, 1.0F),
        nearest_(n_, 0),
        to_nearest_(n_, never) {
    for (std::size_t i = 0; i < n_; ++i) {
      alive_.push_back(i);
      for (std::size_t j = 0; j < i; ++j) {
        const auto a = static_cast<int>(i);
        const auto b = static_cast<int>(j);
        if (d.known(a, b)) average(i, j) = static_cast<float>(d.at(a, b));
      }
    }
    for (std::size_t i : alive_) find_nearest(i);
  }

  /// Merges the two closest clusters, the second into the first.
  std::pair<std::size_t, std::size_t> merge_closest() {
    std::size_t best = alive_.front();
    for (std::size_t i : alive_) {
      if (to_nearest_[i] < to_nearest_[best]) best = i;
    }
    const std::size_t other = nearest_[best];
    const std::size_t a = std::min(best, other);
    const std::size_t b = std::max(best, other);
    std::erase(alive_, b);
    for (std::size_t k : alive_) {
      if (k != a) average(a, k) = mean(average(a, k), size_[a], average(b, k), size_[b]);
    }
    size_[a] += size_[b];
    for (std::size_t k : alive_) {
      if (k == a || nearest_[k] == a || nearest_[k] == b) {
        find_nearest(k);
      } else if (const float to = average(k, a); to < to_nearest_[k]) {
        nearest_[k] = a;
        to_nearest_[k] = to;
      }
    }
    return {a, b};
  }

 private:
  /// What is unknown of one part counts as what is known of the other.
  static float mean(float a, float a_size, float b, float b_size) {
    if (a == never) return b;
    if (b == never) return a;
    return (a * a_size + b * b_size) / (a_size + b_size);
  }
  float& average(std::size_t i, std::size_t j) {
    return i > j ? average_[i * (i + 1) / 2 + j] : average_[j * (j + 1) / 2 + i];
  }
  void find_nearest(std::size_t i) {
    std::size_t best = i;
    float to_best = never;
    for (std::size_t j : alive_) {
      if (j == i) continue;
      const float to = average(i, j);
      if (best == i || to < to_best) best = j, to_best = to;
    }
    nearest_[i] = best;
    to_nearest_[i] = to_best;
  }

  std::size_t n_;
  std::vector<float> average_;
  std::vector<float> size_;
  std::vector<std::size_t> alive_;
  std::vector<std::size_t> nearest_;
  std::vector<float> to_nearest_;  // the average distance to it: one load instead of one from anywhere in `average_`
};

}  // namespace

Tree average_linkage(const Distances& distances) {
  Tree tree;
  const int n = distances.size();
  std::vector<int> node_of;
  for (int i = 0; i < n; ++i) {
    tree.nodes.push_back({-1, -1, {i}});
    node_of.push_back(i);
  }
  Clusters clusters(distances);
  for (int merges = 1; merges < n; ++merges) {
    const auto [a, b] = clusters.merge_closest();
    Tree::Node node{node_of[a], node_of[b], {}};
    const auto& left = tree.nodes[static_cast<std::size_t>(node.left)].items;
    const auto& right = tree.nodes[static_cast<std::size_t>(node.right)].items;
    std::merge(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(node.items));
    node_of[a] = static_cast<int>(tree.nodes.size());
    tree.nodes.push_back(std::move(node));
  }
  return tree;
}

}  // namespace charm::probe
