#include "tools/base/quantile.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace charm::base {

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  const double place = std::clamp(q, 0.0, 1.0) * static_cast<double>(values.size() - 1);
  const auto below = values.begin() + static_cast<std::ptrdiff_t>(place);
  std::nth_element(values.begin(), below, values.end());
  const double rest = place - static_cast<double>(below - values.begin());
  if (rest == 0) return *below;
  return *below + rest * (*std::min_element(below + 1, values.end()) - *below);
}

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

}  // namespace charm::base
