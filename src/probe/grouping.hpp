// What a group of items looks like in a matrix of log latencies: quantiles, medians, and the step around it. Shared by
// the search for levels (steps.hpp) and the placing of stragglers (settle.hpp).
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "probe/linkage.hpp"

namespace charm::probe {

using Group = std::vector<int>;

constexpr double unknown_distance = std::numeric_limits<double>::quiet_NaN();

// A step worth the name: latencies outside at least an eighth above those inside. Below it lie the clusters that share
// a tag directory or a mesh stop within one last-level cache, and timer resolution.
inline const double smallest_step = std::log(1.13);

/// Reorders `values`; NaN where there are none.
double quantile(std::vector<double>& values, double q);

inline double distance(const Distances& d, int i, int j) {
  return d[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
}

/// Median over the known distances from `item` to the members of `group` (itself left out).
double median_between(const Distances& d, int item, const Group& group);

/// Known distances between the members of a group, and from each member to its nearest outsiders.
struct Surroundings {
  std::vector<double> within;
  std::vector<double> beyond;
};
Surroundings surroundings_of(const Distances& d, const Group& group);

/// Log of the step around a group, as all but a quarter of its members see it; NaN where nobody can tell.
double step_of(const Distances& d, const Group& group);

/// The median size of a group.
std::size_t usual_size(const std::vector<Group>& groups);

}  // namespace charm::probe
