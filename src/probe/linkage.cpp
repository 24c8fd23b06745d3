#include "probe/linkage.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace charm::probe {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// Sums and counts of the known pairs between active clusters, and each cluster's nearest other one.
class Clusters {
 public:
  explicit Clusters(const Distances& d)
      : n_(d.size()), sum_(n_ * n_, 0.0), count_(n_ * n_, 0), alive_(n_, true), nearest_(n_, 0) {
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t j = 0; j < n_; ++j) {
        if (i == j || std::isnan(d[i][j])) continue;
        sum_[i * n_ + j] = d[i][j];
        count_[i * n_ + j] = 1;
      }
    }
    for (std::size_t i = 0; i < n_; ++i) find_nearest(i);
  }

  /// The two closest clusters; merges the second into the first.
  std::pair<std::size_t, std::size_t> merge_closest() {
    std::size_t best = n_;
    for (std::size_t i = 0; i < n_; ++i) {
      if (alive_[i] && (best == n_ || distance(i, nearest_[i]) < distance(best, nearest_[best]))) best = i;
    }
    const std::size_t other = nearest_[best];
    const std::size_t a = std::min(best, other);
    const std::size_t b = std::max(best, other);
    alive_[b] = false;
    for (std::size_t k = 0; k < n_; ++k) {
      if (!alive_[k] || k == a) continue;
      sum_[a * n_ + k] = sum_[k * n_ + a] += sum_[b * n_ + k];
      count_[a * n_ + k] = count_[k * n_ + a] += count_[b * n_ + k];
    }
    for (std::size_t k = 0; k < n_; ++k) {
      if (!alive_[k]) continue;
      if (k == a || nearest_[k] == a || nearest_[k] == b) {
        find_nearest(k);
      } else if (distance(k, a) < distance(k, nearest_[k])) {
        nearest_[k] = a;
      }
    }
    return {a, b};
  }

 private:
  [[nodiscard]] double distance(std::size_t i, std::size_t j) const {
    const int count = count_[i * n_ + j];
    return count == 0 ? never : sum_[i * n_ + j] / count;
  }
  void find_nearest(std::size_t i) {
    std::size_t best = n_;
    for (std::size_t j = 0; j < n_; ++j) {
      if (j != i && alive_[j] && (best == n_ || distance(i, j) < distance(i, best))) best = j;
    }
    nearest_[i] = best == n_ ? i : best;
  }

  std::size_t n_;
  std::vector<double> sum_;
  std::vector<int> count_;
  std::vector<bool> alive_;
  std::vector<std::size_t> nearest_;
};

}  // namespace

Tree average_linkage(const Distances& distances) {
  Tree tree;
  const std::size_t n = distances.size();
  std::vector<int> node_of(n);
  for (std::size_t i = 0; i < n; ++i) {
    tree.nodes.push_back({-1, -1, {static_cast<int>(i)}});
    node_of[i] = static_cast<int>(i);
  }
  Clusters clusters(distances);
  for (std::size_t merges = 1; merges < n; ++merges) {
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
