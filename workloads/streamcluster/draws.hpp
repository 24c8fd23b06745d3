// The random decisions of Streamcluster, one after the other: the same seed gives the same decisions on every runtime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "workloads/executor/concept.hpp"
#include "workloads/graph/random.hpp"

namespace charm::workloads {

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : seed_(seed) {}

  /// In [0, 1)
  double uniform() { return static_cast<double>(random_at(seed_, next_++) >> 11) * 0x1p-53; }
  /// In [0, count)
  Index below(Index count) { return static_cast<Index>(uniform() * static_cast<double>(count)); }
  void shuffle(std::vector<Index>& items) {
    for (std::size_t i = items.size(); i > 1; --i)
      std::swap(items[i - 1], items[static_cast<std::size_t>(below(static_cast<Index>(i)))]);
  }

 private:
  std::uint64_t seed_;
  std::uint64_t next_ = 0;
};

}  // namespace charm::workloads
