#include "base/format.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/utf8.hpp"

namespace charm::base {
namespace {

/// Not printf, whose decimal point is the locale's.
std::string fixed(double value, int digits) {
  std::array<char, 400> text{};
  const auto end = std::to_chars(text.begin(), text.end(), value, std::chars_format::fixed, digits).ptr;
  return {text.data(), end};
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  bool in_sequence = false;
  while (!text.empty()) {
    const char32_t c = take_character(text);
    if (c == U'\x1b') in_sequence = true;
    if (!in_sequence) width += static_cast<std::size_t>(columns_of(c));
    if (in_sequence && c == U'm') in_sequence = false;
  }
  return width;
}

std::string padded(std::string text, std::size_t width) {
  const std::size_t has = display_width(text);
  if (has < width) text.append(width - has, ' ');
  return text;
}

std::string counted(std::size_t count, std::string_view one) {
  return std::to_string(count) + ' ' + std::string(one) + (count == 1 ? "" : "s");
}

std::string three_digits(double value) {
  if (!std::isfinite(value)) return "?";
  if (value == 0) return "0";
  // Rounding may carry into a new digit (9.996 is 10.0), so the exponent is that of the rounded value.
  const double magnitude = std::floor(std::log10(std::abs(value)));
  const double unit = std::pow(10.0, magnitude - 2);
  const double rounded = std::round(value / unit) * unit;
  const int digits = 2 - static_cast<int>(std::floor(std::log10(std::abs(rounded)) + 1e-9));
  return fixed(value, std::clamp(digits, 0, 12));
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
  std::string text = unit == 0 ? std::to_string(bytes) : three_digits(size);
  if (text.find('.') != std::string::npos) {
    while (text.ends_with('0')) text.pop_back();
    if (text.ends_with('.')) text.pop_back();
  }
  return text + " " + units[unit];
}

std::string format_percent(double fraction) { return fixed(fraction * 100, fraction < 1 ? 1 : 0) + " %"; }

}  // namespace charm::base
