// Measures how much a quantity scatters from one sample to the next, relative to its size and robust against steps: by
// the median of the last differences. A change of phase is one difference among many and hardly affects the median;
// scatter affects all of them. Changes that are faster than the samples count as scatter, so the controller averages
// over them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>

namespace charm::controller {

class NoiseMeter {
 public:
  void add(double value) {
    double log_value = std::log(std::max(value, 1e-300));
    if (last_) ring_[count_++ % ring_.size()] = std::abs(log_value - *last_);
    last_ = log_value;
  }

  /// The next sample is not compared with the last one, because the workers moved in between.
  void cut() { last_.reset(); }

  [[nodiscard]] std::size_t count() const { return std::min(count_, ring_.size()); }

  /// Standard deviation of one sample; a cautious guess until enough is seen.
  [[nodiscard]] double sigma() const { return deviation(0.5, 0.6745); }

  /// The same from the smallest quarter of the differences, which is right even if half of the differences are steps.
  [[nodiscard]] double sigma_between_steps() const { return deviation(0.25, 0.3186); }

  static constexpr std::size_t enough_differences = 6;

 private:
  static constexpr double guessed_sigma = 0.1, least_sigma = 0.004;

  /// The deviation from a quantile of |differences| and the same quantile of a standard normal; sqrt 2, since each
  /// difference is of two samples.
  [[nodiscard]] double deviation(double quantile, double of_normal) const {
    if (count() < enough_differences) return guessed_sigma;
    auto sorted = ring_;
    auto nth = sorted.begin() + static_cast<std::ptrdiff_t>(quantile * static_cast<double>(count()));
    std::nth_element(sorted.begin(), nth, sorted.begin() + static_cast<std::ptrdiff_t>(count()));
    return std::max(least_sigma, *nth / (of_normal * std::sqrt(2.0)));
  }

  std::array<double, 101> ring_{};
  std::size_t count_ = 0;
  std::optional<double> last_;
};

}  // namespace charm::controller
