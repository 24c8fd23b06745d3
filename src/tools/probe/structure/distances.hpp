// Stage 1 of reading structure from a latency matrix: logarithms of the latencies between items, which are rows at
// first and groups of rows later. Ratios of latencies become differences, so that no stage needs a unit.
//
// A machine of thousands of cpus has tens of millions of pairs; two bytes for each pair keep them in memory.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tools/probe/latency_matrix.hpp"

namespace charm::probe {

using Group = std::vector<int>;        ///< item numbers, ascending
using Partition = std::vector<Group>;  ///< every item in one group, ordered by first item

constexpr double unknown_distance = std::numeric_limits<double>::quiet_NaN();

/// Symmetric log latencies; NaN on the diagonal and where nothing is known. Values are rounded to 1/3000, a thirtieth
/// of a percent, between e^-5 and e^16.8 ns.
///
/// Values are in the order of their codes, and `unknown` is the largest code. So code that only compares distances may
/// compare codes, of which a processor compares many at once.
class Distances {
 public:
  using Code = std::uint16_t;
  static constexpr Code unknown = 65535;

  explicit Distances(int items = 0);
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] double at(int i, int j) const { return value_of(code_[index(i, j)]); }
  [[nodiscard]] bool known(int i, int j) const { return code_[index(i, j)] != unknown; }
  void set(int i, int j, double log_latency);
  /// The codes from item `i` to all items.
  [[nodiscard]] std::span<const Code> row(int i) const {
    return std::span(code_).subspan(index(i, 0), static_cast<std::size_t>(size_));
  }
  static double value_of(Code code) { return code == unknown ? unknown_distance : code / per_unit + lowest; }

 private:
  static constexpr double per_unit = 3000, lowest = -5;
  static Code code_of(double log_latency);
  [[nodiscard]] std::size_t index(int i, int j) const {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(size_) + static_cast<std::size_t>(j);
  }
  int size_;
  std::vector<Code> code_;
};

/// The distances between groups of rows: medians over all measured pairs of a row of one and a row of the other.
Distances distances_between(const LatencyMatrix& matrix, const Partition& groups);

/// The median; reorders `values`; NaN if there are none. Of two middle values the lower one counts, because disturbance
/// only ever adds time.
double quantile(std::vector<double>& values, double q);
double quantile(std::span<Distances::Code> codes, double q);

/// Median over the known distances from `item` to the members of `group`, without the item itself.
double median_to(const Distances& d, int item, const Group& group);

/// The median size of a group.
std::size_t usual_size(const Partition& groups);

/// The size that most groups have, the smallest of several such.
std::size_t commonest_size(const Partition& groups);

}  // namespace charm::probe
