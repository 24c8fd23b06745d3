// Plans which pairs of cpus are measured, and how long each may take, so that the whole ends in time on any
// machine.
//
// Invariant: pairs × (longest time of a pair + what a pair costs besides) is within the seconds given, unless every
// pair was asked for and there are too many. Hundreds of cpus have too many pairs (576 have 165 600), so a sample
// measures every cpu with landmarks (landmarks.hpp) and with its SMT siblings.
#pragma once

#include <charm/machine.hpp>

#include <utility>
#include <vector>

#include "tools/probe/measuring/pairs.hpp"

namespace charm::probe {

/// Seconds that a pair takes besides its samples: starting two threads, binding them and placing a line.
inline constexpr double pair_overhead_ms = 0.45;

struct PairPlan {
  std::vector<std::pair<int, int>> pairs;  ///< row, smaller row; in an order that spreads a disturbance over all
  PairOptions options;
  int passes = 1;  ///< times that every pair is measured, at different times
  /// The longest time that the whole plan can take.
  [[nodiscard]] double most_seconds() const {
    return static_cast<double>(pairs.size()) * passes * (options.most_ms + pair_overhead_ms) / 1e3;
  }
};

struct PairBudget {
  bool sampled = false;
  double seconds = 10;   ///< time for all pairs together
  int landmarks_of = 8;  ///< number of cpus for each landmark of a sample
};

/// \param siblings rows of the hardware threads of each core.
PairPlan plan_pairs(int cpus, const std::vector<std::vector<int>>& siblings, const PairBudget& budget);

}  // namespace charm::probe
