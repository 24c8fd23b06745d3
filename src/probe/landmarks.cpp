#include "probe/landmarks.hpp"

#include <algorithm>
#include <cstdint>
#include <random>

namespace charm::probe {

std::vector<std::pair<int, int>> pairs_to_measure(int n, bool sampled) {
  std::vector<std::pair<int, int>> pairs;
  // Landmarks stand evenly over the numbering, however the system numbers siblings and sockets, with an odd stride, so
  // that they do not all fall on the same core of their chiplets. A sixth of all cpus, but at least 32, meets every
  // chiplet of six threads and more.
  const int landmarks = sampled ? std::min(n, std::max(32, (n + 5) / 6)) : n;
  std::vector<bool> landmark(static_cast<std::size_t>(n), !sampled);
  for (int k = 0; k < landmarks && sampled; ++k) {
    landmark[static_cast<std::size_t>(static_cast<std::int64_t>(k) * n / landmarks)] = true;
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) {
      if (landmark[static_cast<std::size_t>(i)] || landmark[static_cast<std::size_t>(j)]) pairs.emplace_back(i, j);
    }
  }
  std::mt19937 random(static_cast<unsigned>(n));
  std::shuffle(pairs.begin(), pairs.end(), random);
  return pairs;
}

}  // namespace charm::probe
