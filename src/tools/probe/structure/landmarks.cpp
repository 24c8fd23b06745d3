#include "tools/probe/structure/landmarks.hpp"

#include <algorithm>
#include <cstdint>
#include <random>

namespace charm::probe {

std::vector<std::pair<int, int>> pairs_to_measure(int n, bool sampled, int landmarks_of) {
  std::vector<std::pair<int, int>> pairs;
  // One landmark in each stretch of the numbering, so that with an eighth of all cpus every chiplet of eight threads
  // with consecutive numbers has one; not at the same place of each, for numbering may go round the nodes in turn.
  const int landmarks = sampled ? std::min(n, std::max(16, (n + landmarks_of - 1) / landmarks_of)) : n;
  std::mt19937 random(static_cast<unsigned>(n));
  std::vector<bool> landmark(static_cast<std::size_t>(n), !sampled);
  for (int k = 0; k < landmarks && sampled; ++k) {
    const auto first = static_cast<int>(static_cast<std::int64_t>(k) * n / landmarks);
    const auto end = static_cast<int>(static_cast<std::int64_t>(k + 1) * n / landmarks);
    landmark[static_cast<std::size_t>(std::uniform_int_distribution<int>(first, end - 1)(random))] = true;
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) {
      if (landmark[static_cast<std::size_t>(i)] || landmark[static_cast<std::size_t>(j)]) pairs.emplace_back(i, j);
    }
  }
  std::shuffle(pairs.begin(), pairs.end(), random);
  return pairs;
}

LatencyMatrix completed(const LatencyMatrix& sampled) {
  const int n = sampled.rows();
  LatencyMatrix whole = sampled;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) {
      if (sampled.measured(i, j)) continue;
      double nearest = 0;
      for (int k = 0; k < n; ++k) {
        if (k == i || k == j || !sampled.measured(i, k) || !sampled.measured(j, k)) continue;
        const double way = std::max(sampled.at(i, k), sampled.at(j, k));
        if (nearest == 0 || way < nearest) nearest = way;
      }
      if (nearest > 0) whole.set(i, j, nearest);
    }
  }
  return whole;
}

}  // namespace charm::probe
