// Estimates by what factor two programs differ, from runs in pairs, with intervals. Pure; docs/design/compare.md says
// how the estimate and its interval were chosen, and bench/compare/study.cpp repeats the study.
//
// The estimate is the geometric mean of the paired ratios without the highest and the lowest fifth of them, so that a
// few runs that something disturbed do not decide. Its 95 % interval is that of the percentile bootstrap over pairs,
// with percentiles as much further out as Student's distribution is wider than the normal one (T. Hesterberg 2015); the
// one of 99 %, by which differences are claimed, is that of J. W. Tukey and D. H. McLaughlin (1963) for trimmed means,
// which has no resamples full of outliers at its ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace charm::compare {

/// An interval of a ratio, from `low` to `high`.
struct Interval {
  double low = 0;
  double high = 0;
};

/// The second program's figure as a multiple of the first one's.
struct Ratio {
  double value = 1;
  Interval at95;  ///< contains the true ratio in 95 of 100 comparisons; expanded percentile bootstrap
  /// Contains it in 99 of 100, or, of several comparisons, in 100 less one divided by their number; Student's
  /// distribution of the trimmed mean. Not always the wider one.
  Interval at99;
};

/// \param first, second of equal length: values of the same round are at the same index.
/// \param seed of the bootstrap. \param comparisons number of comparisons of which this is one: differences are claimed
/// by Ratio::at99, which is so much wider that all of them together claim a wrong one as rarely as a single comparison
/// (C. E. Bonferroni). \returns nothing if there are fewer than two pairs, or a value is not above 0.
std::optional<Ratio> paired_ratio(std::span<const double> first, std::span<const double> second, std::uint64_t seed,
                                  std::size_t comparisons = 1);

/// The ratio of the times of each program's fastest quarter (geometric means), for machines that disturb most runs: a
/// disturbance only adds time, so the fastest runs are the least disturbed. Both intervals are percentile bootstraps
/// over rounds. \returns nothing if there are fewer than eight pairs, or a value is not above 0.
std::optional<Ratio> fastest_ratio(std::span<const double> first, std::span<const double> second, std::uint64_t seed,
                                   std::size_t comparisons = 1);

/// The rank sum statistic: how much more often a run of the second program took longer than one of the first than the
/// reverse, in standard deviations for equal programs (H. B. Mann and D. R. Whitney 1947; ties count half).
double rank_sum(std::span<const double> first, std::span<const double> second);

/// A mean without the extremes, and its standard error.
struct TrimmedMean {
  double mean = 0;
  double error = 0;
  std::size_t kept = 0;
};
/// \param values not empty; sorted afterwards. \param share share of the values that is left out at either end.
TrimmedMean trimmed_mean(std::vector<double>& values, double share);

/// The lower and the upper quartile (linear interpolation); zeros if there are no values.
Interval quartiles(const std::vector<double>& values);

}  // namespace charm::compare
