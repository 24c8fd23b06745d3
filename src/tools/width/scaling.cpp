#include "tools/width/scaling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <set>

namespace charm::width {
namespace {

// time * n = a + b (n - 1) + c n (n - 1) is linear in a = one, b = one * contention, c = one * coherence.
constexpr std::size_t terms = 3;
using Terms = std::array<double, terms>;

Terms terms_of(const Point& point) {
  const auto n = static_cast<double>(point.threads);
  // Divided by what is measured: so relative errors count.
  const double scale = 1 / (point.seconds * n);
  return {scale, (n - 1) * scale, n * (n - 1) * scale};
}

/// Least squares of sum_k x[k] terms[k] = 1 over the terms that are used; the others are 0.
std::optional<Terms> solve(const std::vector<Point>& points, const std::array<bool, terms>& used) {
  std::array<std::array<double, terms + 1>, terms> rows{};
  for (const Point& point : points) {
    const Terms values = terms_of(point);
    for (std::size_t i = 0; i < terms; ++i) {
      for (std::size_t j = 0; j < terms; ++j) rows[i][j] += values[i] * values[j];
      rows[i][terms] += values[i];
    }
  }
  for (std::size_t i = 0; i < terms; ++i) {
    if (used[i]) continue;
    for (std::size_t j = 0; j <= terms; ++j) rows[i][j] = rows[j < terms ? j : i][i] = 0;
    rows[i][i] = 1;
    rows[i][terms] = 0;
  }
  for (std::size_t i = 0; i < terms; ++i) {  // Gauss and Jordan; a matrix of squares needs no other pivots
    if (std::fabs(rows[i][i]) < 1e-300) return std::nullopt;
    for (std::size_t k = 0; k < terms; ++k) {
      if (k == i) continue;
      const double factor = rows[k][i] / rows[i][i];
      for (std::size_t j = i; j <= terms; ++j) rows[k][j] -= factor * rows[i][j];
    }
  }
  Terms result{};
  for (std::size_t i = 0; i < terms; ++i) result[i] = rows[i][terms] / rows[i][i];
  return result;
}

/// The best fit in which nothing is below 0: of so few terms each choice can be tried.
std::optional<Law> best_law(const std::vector<Point>& points, bool with_coherence) {
  std::optional<Law> best;
  for (const bool contention : {true, false}) {
    for (const bool coherence : {true, false}) {
      if (coherence && !with_coherence) continue;
      const auto x = solve(points, {true, contention, coherence});
      if (!x || (*x)[0] <= 0 || (*x)[1] < 0 || (*x)[2] < 0) continue;
      Law law{(*x)[0], (*x)[1] / (*x)[0], (*x)[2] / (*x)[0], 0};
      double sum = 0;
      for (const Point& point : points) {
        const double off = law.seconds(point.threads) / point.seconds - 1;
        sum += off * off;
      }
      law.error = std::sqrt(sum / static_cast<double>(points.size()));
      if (!best || law.error < best->error) best = law;
    }
  }
  return best;
}

}  // namespace

double Law::seconds(double threads) const {
  return one_s * (1 + contention * (threads - 1) + coherence * threads * (threads - 1)) / threads;
}

std::optional<double> Law::peak() const {
  if (coherence <= 0) return std::nullopt;
  return std::max(1.0, std::sqrt(std::max(0.0, 1 - contention) / coherence));
}

std::optional<Laws> fit(const std::vector<Point>& points) {
  std::set<int> widths;
  for (const Point& point : points) widths.insert(point.threads);
  if (widths.size() < 3) return std::nullopt;
  const auto amdahl = best_law(points, false);
  const auto universal = best_law(points, true);
  if (!amdahl || !universal) return std::nullopt;
  return Laws{*amdahl, *universal};
}

}  // namespace charm::width
