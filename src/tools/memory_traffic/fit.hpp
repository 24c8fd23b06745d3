// Estimates the bandwidth that is left on a bus from the traffic on it (TAPMM §3.2): polynomials of degree 0, 1, 2 …
// are tried, and the first that is exact enough is taken.
#pragma once

#include <span>
#include <vector>

namespace charm::memory_traffic {

/// A measurement while other programs put load on the bus.
struct LoadPoint {
  double traffic = 0;   ///< what the counter, or the generator of the load, tells: GB/s or events a second
  double gb_per_s = 0;  ///< what could still be read
};

struct Fit {
  std::vector<double> coefficients;  ///< of traffic^0, traffic^1 …
  double error = 0;                  ///< root of the mean squared error, as a part of the largest gb_per_s
  double lowest = 0, highest = 0;    ///< the traffic that was measured

  /// The bandwidth left at this traffic; never negative. Outside of what was measured the nearest measured value holds,
  /// because polynomials run away there.
  [[nodiscard]] double operator()(double traffic) const;
};

/// \param threshold the error that is exact enough. \param highest_degree where none is, the best of these is taken.
/// \throws Error (bad_input) without points.
Fit fit(std::span<const LoadPoint> points, double threshold = 0.05, int highest_degree = 5);

}  // namespace charm::memory_traffic
