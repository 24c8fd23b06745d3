// Statistics of Graph500 (specification 2.0, "Computing and outputting performance information").
#include "workloads/graph/graph500.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

namespace charm::workloads {
namespace {

/// Between the two nearest values, as the specification's quantiles are.
double quantile(const std::vector<double>& sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

TepsStatistics teps_statistics(const std::vector<SearchTime>& searches) {
  std::vector<double> rates;
  for (const auto& search : searches) {
    if (search.edges > 0 && search.seconds > 0) rates.push_back(search.edges / search.seconds);
  }
  if (rates.empty()) return {};
  std::sort(rates.begin(), rates.end());
  const auto n = static_cast<double>(rates.size());
  double inverse_sum = 0;
  for (double rate : rates) inverse_sum += 1 / rate;
  const double mean = n / inverse_sum;
  double squares = 0;
  for (double rate : rates) squares += (1 / rate - 1 / mean) * (1 / rate - 1 / mean);
  const double deviation = n > 1 ? std::sqrt(squares) / (n - 1) * mean * mean : 0;
  return {rates.front(), quantile(rates, .25), quantile(rates, .5), quantile(rates, .75), rates.back(), mean,
          deviation};
}

std::string describe(const TepsStatistics& s, std::size_t searches) {
  constexpr double mega = 1e6;
  return fmt::format(
      "{} searches, MTEPS: harmonic mean {:.1f} (stddev {:.1f}), min {:.1f}, quartiles {:.1f} {:.1f} {:.1f}, max "
      "{:.1f}",
      searches, s.harmonic_mean / mega, s.harmonic_stddev / mega, s.min / mega, s.first_quartile / mega,
      s.median / mega, s.third_quartile / mega, s.max / mega);
}

}  // namespace charm::workloads
