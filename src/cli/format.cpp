#include "cli/format.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace charm::cli {

std::string three_digits(double value) {
  if (!std::isfinite(value)) return "?";
  if (value == 0) return "0";
  // Rounding may carry into a new digit (9.996 is 10.0), so the exponent is that of the rounded value.
  const double magnitude = std::floor(std::log10(std::abs(value)));
  const double unit = std::pow(10.0, magnitude - 2);
  const double rounded = std::round(value / unit) * unit;
  const int digits = 2 - static_cast<int>(std::floor(std::log10(std::abs(rounded)) + 1e-9));
  return fmt::format("{:.{}f}", value, std::clamp(digits, 0, 12));
}

std::string format_seconds(double seconds) {
  struct Unit {
    double size;
    const char* name;
  };
  constexpr std::array<Unit, 4> units = {{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}}};
  for (const auto& unit : units) {
    // 999.96 ms would print as 1000 ms: what rounds up to the next unit is printed in it.
    if (seconds >= unit.size * 0.9995) return three_digits(seconds / unit.size) + " " + unit.name;
  }
  return seconds > 0 ? three_digits(seconds / 1e-9) + " ns" : "0 s";
}

std::string format_bytes(std::uint64_t bytes) {
  constexpr std::array<const char*, 6> units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  double size = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (size >= 999.5 && unit + 1 < units.size()) {
    size /= 1024;
    ++unit;
  }
  return (unit == 0 ? fmt::format("{}", bytes) : three_digits(size)) + " " + units[unit];
}

std::string format_rate(double rate) { return three_digits(rate); }

std::string format_percent(double fraction) { return fmt::format("{:.{}f} %", fraction * 100, fraction < 1 ? 1 : 0); }

}  // namespace charm::cli
