#include <algorithm>
#include <cmath>

#include "tools/sim/workload.hpp"

namespace charm::sim {
namespace {

/// The sum of k^-skew for k in (from, to], by its integral with the midpoint rule, exact enough beyond a few terms.
double zipf_mass(double skew, double from, double to) {
  if (to <= 64) {
    double sum = 0;
    for (double k = from + 1; k <= to; ++k) sum += std::pow(k, -skew);
    return sum;
  }
  const double a = from + 0.5, b = to + 0.5;
  return std::abs(skew - 1) < 1e-9 ? std::log(b / a) : (std::pow(b, 1 - skew) - std::pow(a, 1 - skew)) / (1 - skew);
}

}  // namespace

Popularity uniform_popularity() { return {}; }

Popularity zipf_popularity(double skew, double lines) {
  if (skew <= 0 || lines < 2) return {};
  Popularity out;
  out.classes.clear();
  double total = 0;
  for (double from = 0; from < lines;) {
    const double to = std::min(lines, from < 8 ? from + 1 : std::floor(from * 1.5));
    const double mass = zipf_mass(skew, from, to);
    out.classes.push_back({(to - from) / lines, mass});
    total += mass;
    from = to;
  }
  for (auto& c : out.classes) c.accesses /= total;
  return out;
}

}  // namespace charm::sim
