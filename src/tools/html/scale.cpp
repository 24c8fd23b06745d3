#include "tools/html/scale.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace charm::html {
namespace {

/// The smallest of 1, 2, 2.5 and 5 times a power of ten that is not below `least`.
double round_step(double least) {
  const double decade = std::pow(10.0, std::floor(std::log10(least)));
  double step = 10 * decade;
  for (const double round : {5.0, 2.5, 2.0, 1.0}) {
    if (round * decade >= least) step = round * decade;
  }
  return step;
}

/// Every so many of them that no more are left.
std::vector<double> at_most(std::size_t most, const std::vector<double>& ticks) {
  std::vector<double> few;
  for (std::size_t i = 0; i < ticks.size(); i += (ticks.size() + most - 1) / most) few.push_back(ticks[i]);
  return few;
}

}  // namespace

std::vector<double> axis_ticks(double top) {
  if (!(top > 0) || !std::isfinite(top)) return {0, 1};
  const double step = round_step(top / 5 * (1 - 1e-9));
  std::vector<double> ticks = {0};
  while (ticks.back() < top * (1 - 1e-9)) ticks.push_back(static_cast<double>(ticks.size()) * step);
  return ticks;
}

std::vector<double> ticks_between(double low, double high) {
  if (!(high > low)) return {};
  const double step = round_step((high - low) / 6);
  std::vector<double> ticks;
  for (double n = std::ceil(low / step); n * step <= high; ++n) ticks.push_back(n == 0 ? 0 : n * step);
  return ticks;
}

std::vector<double> logarithmic_ticks(double low, double high) {
  if (!(low > 0) || !(high > low) || !std::isfinite(high)) return {};
  std::vector<double> ticks;
  for (double decade = std::floor(std::log10(low)); decade <= std::log10(high); ++decade) {
    for (const double step : {1.0, 2.0, 5.0}) {
      const double tick = step * std::pow(10.0, decade);
      if (tick >= low && tick <= high) ticks.push_back(tick);
    }
  }
  return ticks.size() < 2 ? ticks_between(low, high) : at_most(9, ticks);
}

std::vector<double> byte_ticks(double low, double high) {
  if (!(low > 0) || !(high > low) || !std::isfinite(high)) return {};
  std::vector<double> ticks;
  for (double power = std::ceil(std::log2(low)); power <= std::log2(high); ++power) ticks.push_back(std::exp2(power));
  return at_most(7, ticks);
}

double logarithmic_place(double value, double low, double high) {
  if (!(low > 0) || !(high > low)) return 0;
  const double place = (std::log(value) - std::log(low)) / (std::log(high) - std::log(low));
  return place > 0 ? std::min(place, 1.0) : 0;  // not clamp(), which lets through what is no number
}

}  // namespace charm::html
