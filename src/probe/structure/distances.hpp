// Stage 1 of reading structure from a latency matrix: logarithms of the latencies between items, which are rows at
// first and groups of rows later. Ratios of latencies become differences, so that no stage needs a unit.
//
// A machine of thousands of cpus has tens of millions of pairs; two bytes for each pair keep them in memory.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "probe/latency_matrix.hpp"

namespace charm::probe {

using Group = std::vector<int>;        ///< item numbers, ascending
using Partition = std::vector<Group>;  ///< every item in one group, ordered by first item

constexpr double unknown_distance = std::numeric_limits<double>::quiet_NaN();

/// Symmetric log latencies; NaN on the diagonal and where nothing is known. Values are rounded to 1/3000, a thirtieth
/// of a percent, between e^-5 and e^16.8 ns.
class Distances {
 public:
  explicit Distances(int items = 0);
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] double at(int i, int j) const { return value_of(code_[index(i, j)]); }
  [[nodiscard]] bool known(int i, int j) const { return code_[index(i, j)] != unknown; }
  void set(int i, int j, double log_latency);

 private:
  static constexpr std::uint16_t unknown = 65535;
  static constexpr double per_unit = 3000, lowest = -5;
  static double value_of(std::uint16_t code) { return code == unknown ? unknown_distance : code / per_unit + lowest; }
  [[nodiscard]] std::size_t index(int i, int j) const {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(size_) + static_cast<std::size_t>(j);
  }
  int size_;
  std::vector<std::uint16_t> code_;
};

/// The distances between groups of rows: medians over all measured pairs of a row of one and a row of the other.
Distances distances_between(const LatencyMatrix& matrix, const Partition& groups);

/// The median; reorders `values`; NaN if there are none. Of two middle values the lower one counts, because disturbance
/// only ever adds time.
double quantile(std::vector<double>& values, double q);

/// Median over the known distances from `item` to the members of `group`, without the item itself.
double median_to(const Distances& d, int item, const Group& group);

/// The median size of a group.
std::size_t usual_size(const Partition& groups);

/// The size that most groups have, the smallest of several such.
std::size_t commonest_size(const Partition& groups);

}  // namespace charm::probe
