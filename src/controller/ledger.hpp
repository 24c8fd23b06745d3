// The losses of the last minute, for a decision that may cost something while it is tried.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace charm::controller {

/// Seconds of full speed that were lost, by the second in which that was; gains are negative. No clock of its own.
class Ledger {
 public:
  static constexpr double seconds = 60;

  /// \param time s, never less than at the last call.
  void add(double time, double lost) { at(time) += lost; }
  /// What the last minute has lost.
  [[nodiscard]] double last_minute(double time) {
    at(time);
    double sum = 0;
    for (const double each : lost_) sum += each;
    return sum;
  }
  void forget() { lost_ = {}; }
  /// What was gained in a phase pays for nothing in the next one.
  void forget_gains(double time) {
    at(time);
    for (double& each : lost_) each = each > 0 ? each : 0;
  }

 private:
  double& at(double time) {
    const auto second = static_cast<long>(std::floor(time));
    if (second - newest_ >= static_cast<long>(lost_.size())) {
      forget();
    } else {
      for (long passed = newest_ + 1; passed <= second; ++passed) lost_[index(passed)] = 0;
    }
    newest_ = second > newest_ ? second : newest_;
    return lost_[index(newest_)];
  }
  static std::size_t index(long second) { return static_cast<std::size_t>(second) % static_cast<std::size_t>(seconds); }

  std::array<double, static_cast<std::size_t>(seconds)> lost_{};
  long newest_ = 0;
};

}  // namespace charm::controller
