#include "tools/compare/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/policies/policy.hpp>

#include "base/random.hpp"
#include "tools/base/quantile.hpp"

namespace charm::compare {
namespace {

constexpr std::size_t resamples = 1999;  // (1999 + 1) * 0.025 is whole: the ends are values
// Fewer values have too few different resamples for the ends, and none to leave out: the mean and Student's
// distribution must do there. With more than the most both say the same, and one takes its time.
constexpr std::size_t bootstrap_from = 8;
constexpr std::size_t bootstrap_most = 2000;
constexpr double left_out = 0.2;  // at either end
constexpr double fastest_share = 0.25;

// In double throughout: for long double, the default, Boost computes constants whenever the program starts.
using InDouble = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
using Student = boost::math::students_t_distribution<double, InDouble>;
using Normal = boost::math::normal_distribution<double, InDouble>;

std::size_t cut_of(std::size_t all, double share) {
  return std::min(static_cast<std::size_t>(share * static_cast<double>(all)), (all - 1) / 2);
}

double mean_of_middle(const std::vector<double>& ascending, double share) {
  const std::size_t cut = cut_of(ascending.size(), share);
  double sum = 0;
  for (std::size_t i = cut; i < ascending.size() - cut; ++i) sum += ascending[i];
  return sum / static_cast<double>(ascending.size() - 2 * cut);
}

double level_of_claims(std::size_t comparisons) { return 1 - 0.01 / static_cast<double>(comparisons); }

Interval exponential(double low, double high) { return {std::exp(low), std::exp(high)}; }

Interval by_student(const TrimmedMean& mean, double level) {
  if (!(mean.error > 0)) return exponential(mean.mean, mean.mean);
  const Student distribution(static_cast<double>(mean.kept - 1));
  const double half = boost::math::quantile(distribution, 0.5 + level / 2) * mean.error;
  return exponential(mean.mean - half, mean.mean + half);
}

/// \param tail that lies outside at either end.
Interval percentiles(const std::vector<double>& ascending, double tail) {
  const auto rank = std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(tail * (resamples + 1))));
  return exponential(ascending[rank - 1], ascending[resamples - rank]);
}

/// Percentiles lie too far in where few values count: they are taken further out, by as much as Student's distribution
/// is wider than the normal one (T. Hesterberg 2015).
double expanded_tail(double level, double degrees) {
  const double at = boost::math::quantile(Student(degrees), 0.5 + level / 2);
  return boost::math::cdf(Normal(), -at);
}

/// Expanded percentiles of the trimmed means of resampled values.
Interval by_bootstrap(const std::vector<double>& values, double level, std::uint64_t seed) {
  base::Random random(seed);
  std::vector<double> means;
  means.reserve(resamples);
  std::vector<double> drawn(values.size());
  for (std::size_t i = 0; i < resamples; ++i) {
    for (double& value : drawn) value = values[random.index(values.size())];
    std::sort(drawn.begin(), drawn.end());
    means.push_back(mean_of_middle(drawn, left_out));
  }
  std::sort(means.begin(), means.end());
  return percentiles(means, expanded_tail(level, static_cast<double>(values.size()) - 1));
}

std::vector<double> logarithms(std::span<const double> values) {
  std::vector<double> logs;
  logs.reserve(values.size());
  for (const double value : values) logs.push_back(std::log(value));
  return logs;
}

/// \param values reordered.
double mean_of_least(std::vector<double>& values, std::size_t count) {
  std::partial_sort(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count), values.end());
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += values[i];
  return sum / static_cast<double>(count);
}

bool all_above_zero(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return value > 0; });
}

}  // namespace

TrimmedMean trimmed_mean(std::vector<double>& values, double share) {
  std::sort(values.begin(), values.end());
  const std::size_t all = values.size();
  const std::size_t cut = cut_of(all, share);
  TrimmedMean result;
  result.kept = all - 2 * cut;
  result.mean = mean_of_middle(values, share);
  if (result.kept < 2) return result;
  // The Winsorized deviations: the values cut off count as the outermost that were kept.
  const auto held = [&](std::size_t i) { return values[std::clamp(i, cut, all - cut - 1)]; };
  double middle = 0;
  for (std::size_t i = 0; i < all; ++i) middle += held(i);
  middle /= static_cast<double>(all);
  double squares = 0;
  for (std::size_t i = 0; i < all; ++i) squares += (held(i) - middle) * (held(i) - middle);
  const auto h = static_cast<double>(result.kept);
  result.error = std::sqrt(squares / (h * (h - 1)));
  return result;
}

std::optional<Ratio> paired_ratio(std::span<const double> first, std::span<const double> second, std::uint64_t seed,
                                  std::size_t comparisons) {
  const std::size_t pairs = std::min(first.size(), second.size());
  if (pairs < 2 || !all_above_zero(first) || !all_above_zero(second)) return std::nullopt;
  std::vector<double> logs(pairs);
  for (std::size_t i = 0; i < pairs; ++i) logs[i] = std::log(second[i] / first[i]);
  std::vector<double> sorted = logs;  // the resamples draw pairs by their rounds
  const bool many = pairs >= bootstrap_from;
  const TrimmedMean estimate = trimmed_mean(sorted, many ? left_out : 0);
  Ratio ratio;
  ratio.value = std::exp(estimate.mean);
  ratio.at99 = by_student(estimate, level_of_claims(comparisons));
  ratio.at95 = many && pairs <= bootstrap_most ? by_bootstrap(logs, 0.95, seed) : by_student(estimate, 0.95);
  // The estimate lies within its interval, also where the resamples are so skewed that percentiles leave it out.
  ratio.at95.low = std::min(ratio.at95.low, ratio.value);
  ratio.at95.high = std::max(ratio.at95.high, ratio.value);
  return ratio;
}

std::optional<Ratio> fastest_ratio(std::span<const double> first, std::span<const double> second, std::uint64_t seed,
                                   std::size_t comparisons) {
  const std::size_t rounds = std::min(first.size(), second.size());
  if (rounds < bootstrap_from || rounds > bootstrap_most || !all_above_zero(first) || !all_above_zero(second))
    return std::nullopt;
  const std::vector<double> a = logarithms(first.first(rounds));
  const std::vector<double> b = logarithms(second.first(rounds));
  std::vector<double> of_a = a;
  std::vector<double> of_b = b;
  const auto count = static_cast<std::size_t>(std::ceil(fastest_share * static_cast<double>(rounds)));
  const double estimate = mean_of_least(of_b, count) - mean_of_least(of_a, count);
  base::Random random(seed);
  std::vector<double> differences;
  differences.reserve(resamples);
  for (std::size_t n = 0; n < resamples; ++n) {
    for (std::size_t i = 0; i < rounds; ++i) {
      const std::size_t round = random.index(rounds);
      of_a[i] = a[round];
      of_b[i] = b[round];
    }
    differences.push_back(mean_of_least(of_b, count) - mean_of_least(of_a, count));
  }
  std::sort(differences.begin(), differences.end());
  Ratio ratio;
  ratio.value = std::exp(estimate);
  for (auto [interval, level] : {std::pair{&ratio.at95, 0.95}, std::pair{&ratio.at99, level_of_claims(comparisons)}}) {
    *interval = percentiles(differences, expanded_tail(level, 2 * (static_cast<double>(count) - 1)));
    interval->low = std::min(interval->low, ratio.value);
    interval->high = std::max(interval->high, ratio.value);
  }
  return ratio;
}

double rank_sum(std::span<const double> first, std::span<const double> second) {
  if (first.empty() || second.empty()) return 0;
  double longer = 0;
  for (const double b : second) {
    for (const double a : first) longer += b > a ? 1 : b == a ? 0.5 : 0;
  }
  const auto m = static_cast<double>(first.size());
  const auto n = static_cast<double>(second.size());
  return (longer - m * n / 2) / std::sqrt(m * n * (m + n + 1) / 12);
}

Interval quartiles(const std::vector<double>& values) {
  return {base::quantile(values, 0.25), base::quantile(values, 0.75)};
}

}  // namespace charm::compare
