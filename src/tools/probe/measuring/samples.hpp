// Medians and spreads of repeated measurements. The median is reported, because disturbances only ever add time and a
// mean follows the largest of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace charm::probe {

struct Summary {
  double median = 0;
  double spread = 0;  ///< distance of the quartiles over the median
};

/// The median that `summarise` gives, 0 where there are no samples; without sorting them, for there may be millions.
inline double median_of(std::vector<double> samples) {
  if (samples.empty()) return 0;
  const auto middle = samples.begin() + std::lround(0.5 * static_cast<double>(samples.size() - 1));
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

inline Summary summarise(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  const auto at = [&](double q) {
    return samples[static_cast<std::size_t>(std::lround(q * static_cast<double>(samples.size() - 1)))];
  };
  const double median = at(0.5);
  return {median, median > 0 ? (at(0.75) - at(0.25)) / median : 0};
}

}  // namespace charm::probe
