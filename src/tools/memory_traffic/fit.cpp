#include "tools/memory_traffic/fit.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <set>
#include <utility>

namespace charm::memory_traffic {
namespace {

/// Solves the normal equations by elimination; nothing where they are singular.
std::optional<std::vector<double>> eliminate(std::vector<std::vector<double>> rows) {
  const std::size_t n = rows.size();
  for (std::size_t column = 0; column < n; ++column) {
    std::size_t best = column;
    for (std::size_t r = column + 1; r < n; ++r) {
      if (std::abs(rows[r][column]) > std::abs(rows[best][column])) best = r;
    }
    if (std::abs(rows[best][column]) < 1e-12) return std::nullopt;
    std::swap(rows[best], rows[column]);
    for (std::size_t r = 0; r < n; ++r) {
      if (r == column) continue;
      const double factor = rows[r][column] / rows[column][column];
      for (std::size_t c = column; c <= n; ++c) rows[r][c] -= factor * rows[column][c];
    }
  }
  std::vector<double> solution;
  for (std::size_t r = 0; r < n; ++r) solution.push_back(rows[r][n] / rows[r][r]);
  return solution;
}

double polynomial(const std::vector<double>& coefficients, double x) {
  double value = 0;
  for (std::size_t i = coefficients.size(); i-- > 0;) value = value * x + coefficients[i];
  return value;
}

/// Least squares with the traffic scaled to [0, 1]: unscaled powers of events a second would lose all digits.
std::optional<std::vector<double>> least_squares(std::span<const LoadPoint> points, std::size_t degree, double scale) {
  std::vector<std::vector<double>> rows(degree + 1, std::vector<double>(degree + 2, 0));
  for (const LoadPoint& point : points) {
    std::vector<double> powers(degree + 1, 1);
    for (std::size_t i = 1; i <= degree; ++i) powers[i] = powers[i - 1] * point.traffic / scale;
    for (std::size_t r = 0; r <= degree; ++r) {
      for (std::size_t c = 0; c <= degree; ++c) rows[r][c] += powers[r] * powers[c];
      rows[r][degree + 1] += powers[r] * point.gb_per_s;
    }
  }
  auto coefficients = eliminate(std::move(rows));
  if (!coefficients) return std::nullopt;
  double power = 1;
  for (double& coefficient : *coefficients) {
    coefficient /= power;
    power *= scale;
  }
  return coefficients;
}

}  // namespace

double Fit::operator()(double traffic) const {
  return std::max(0.0, polynomial(coefficients, std::clamp(traffic, lowest, highest)));
}

Fit fit(std::span<const LoadPoint> points, double threshold, int highest_degree) {
  if (points.empty())
    throw Error(Errc::bad_input, "no measurements to fit a bus to", "measure it under at least one load");
  Fit best;
  best.lowest = points.front().traffic;
  best.highest = points.front().traffic;
  double largest = 0;
  std::set<double> loads;
  for (const LoadPoint& point : points) {
    best.lowest = std::min(best.lowest, point.traffic);
    best.highest = std::max(best.highest, point.traffic);
    largest = std::max(largest, point.gb_per_s);
    loads.insert(point.traffic);
  }
  const double scale = std::max({std::abs(best.lowest), std::abs(best.highest), 1e-300});
  if (largest <= 0) largest = 1;
  for (std::size_t degree = 0; degree < loads.size() && degree <= static_cast<std::size_t>(highest_degree); ++degree) {
    const auto coefficients = least_squares(points, degree, scale);
    if (!coefficients) break;
    double squares = 0;
    for (const LoadPoint& point : points) {
      const double off = polynomial(*coefficients, point.traffic) - point.gb_per_s;
      squares += off * off;
    }
    const double error = std::sqrt(squares / static_cast<double>(points.size())) / largest;
    if (best.coefficients.empty() || error < best.error) {
      best.coefficients = *coefficients;
      best.error = error;
    }
    if (error <= threshold) break;
  }
  return best;
}

}  // namespace charm::memory_traffic
