// A random program: a tree of tasks that a seed describes completely, and what it computes, found without running it.
//
// A node folds what its children return or throw, in their order, and then returns or throws itself. How it runs them
// (forked, in a group, through a channel ...) is drawn from the seed, too, and must not change the result.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace random_programs {

inline std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// What a node that throws throws.
struct NodeError {
  std::uint64_t value;
};

struct Outcome {
  bool threw = false;
  std::uint64_t value = 0;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

struct Node {
  std::uint64_t seed;
  int tasks;  // in this subtree, the node included; at least 1

  [[nodiscard]] std::uint64_t draw(std::uint64_t what) const { return mix(seed + what * 0x9e3779b97f4a7c15); }
  [[nodiscard]] bool throws() const { return draw(1) % 16 == 0; }

  [[nodiscard]] std::vector<Node> children() const {
    std::vector<Node> all;
    int left = tasks - 1;
    if (left == 0) return all;
    const int count = 1 + static_cast<int>(draw(2) % static_cast<unsigned>(std::min(left, 8)));
    for (int c = 0; c < count; ++c) {
      const int others = count - c - 1;  // each of them gets one at least
      const int most = left - others;
      const int share = others == 0 ? left
                                    : 1 + static_cast<int>(draw(100 + static_cast<std::uint64_t>(c)) %
                                                           static_cast<unsigned>(std::min(most, 2 * left / count + 1)));
      all.push_back({draw(200 + static_cast<std::uint64_t>(c)), share});
      left -= share;
    }
    return all;
  }

  /// \param outcomes of the children, in their order.
  [[nodiscard]] Outcome fold(const std::vector<Outcome>& outcomes) const {
    std::uint64_t value = draw(0);
    for (const Outcome& each : outcomes) value = mix(value * 31 + each.value + (each.threw ? 1 : 0));
    return {throws(), value};
  }
};

/// The oracle.
inline Outcome sequential(const Node& node) {
  std::vector<Outcome> outcomes;
  for (const Node& child : node.children()) outcomes.push_back(sequential(child));
  return node.fold(outcomes);
}

}  // namespace random_programs
