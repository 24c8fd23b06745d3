#include "controller/pace.hpp"

#include <algorithm>
#include <cmath>

namespace charm::controller {
namespace {

constexpr double scattered_sigma = 0.4;  // relative scatter of single ticks from which on only averages are compared
constexpr std::size_t judged_differences = 8;             // differences that it takes to say so
constexpr double outlying_sigmas = 4;                     // standard deviations beyond which a sample is not scatter
constexpr double passed_over_ticks = 256;                 // that the share of ticks passed over is averaged over
constexpr double passed_over_limit = 0.1;                 // from which on these ticks are too many to be left out
constexpr long shortest_stay = 128, longest_stay = 8192;  // ticks of averaging before phases are followed again

}  // namespace

bool Pace::feed(const Sample& tick, long now, bool passed_over) {
  throughput_noise_.add(tick.throughput);
  if (tick.intensity > 0) intensity_noise_.add(tick.intensity);
  if (averaging_) count_changes(tick, now);
  double length = phase_length(now);
  if (!averaging_) passed_over_ += ((passed_over ? 1 : 0) - passed_over_) / passed_over_ticks;
  bool scattered = throughput_noise_.count() >= judged_differences && throughput_noise_.sigma() > scattered_sigma;
  if (!averaging_ && (length < follow_ || scattered || passed_over_ > passed_over_limit)) {
    stay_ = now - changed_ < 16 * stay_ ? std::min(2 * stay_, longest_stay) : shortest_stay;
  } else if (!averaging_ || length <= 2 * follow_ || scattered || now - changed_ < stay_) {
    return false;
  }
  averaging_ = !averaging_;
  changed_ = now;
  passed_over_ = 0;
  throughput_ = intensity_ = {};
  odd_ = 0;
  return true;
}

void Pace::count_changes(const Sample& tick, long now) {
  auto unlike = [&](double log_distance, const NoiseMeter& noise) {
    return std::abs(log_distance) > std::max(std::log(1 + band_), outlying_sigmas * noise.sigma_between_steps());
  };
  bool odd = throughput_.count > 0 && unlike(std::log(tick.throughput / throughput_.value), throughput_noise_);
  if (tick.intensity > 0 && intensity_.count > 0) {
    odd = odd || unlike(std::log(tick.intensity / intensity_.value), intensity_noise_);
  }
  odd_ = odd ? odd_ + 1 : 0;
  if (odd_ == 1) return;
  if (odd_ >= 2) {
    clock_.note(now);
    throughput_ = intensity_ = {};
    odd_ = 0;
  }
  throughput_.add(tick.throughput);
  if (tick.intensity > 0) intensity_.add(tick.intensity);
}

}  // namespace charm::controller
