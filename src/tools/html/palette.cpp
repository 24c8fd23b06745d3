#include "tools/html/palette.hpp"

#include <algorithm>
#include <cstdio>

namespace charm::html {
namespace {

std::string sequence(int kind, const Rgb& colour) {
  return "\x1b[" + std::to_string(kind) + ";2;" + std::to_string(colour.red) + ';' + std::to_string(colour.green) +
         ';' + std::to_string(colour.blue) + 'm';
}

}  // namespace

const char* series_colour(std::size_t index) {
  static constexpr std::array<const char*, 8> colours = {"#0072b2", "#e69f00", "#009e73", "#cc79a7",
                                                         "#d55e00", "#56b4e9", "#8a8f98", "#f0e442"};
  return colours[index % colours.size()];
}

Rgb heat_colour(double place) {
  static constexpr double stops[5][3] = {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}};
  const double at = std::clamp(place, 0.0, 1.0) * 4;
  const auto low = static_cast<std::size_t>(std::min(3.0, at));
  const auto mixed = [&](std::size_t k) {
    return static_cast<int>(stops[low][k] + (at - static_cast<double>(low)) * (stops[low + 1][k] - stops[low][k]));
  };
  return {mixed(0), mixed(1), mixed(2)};
}

std::string hex(const Rgb& colour) {
  char text[16];
  std::snprintf(text, sizeof text, "#%02x%02x%02x", colour.red & 255, colour.green & 255, colour.blue & 255);
  return text;
}

std::string terminal_ink(const Rgb& colour) { return sequence(38, colour); }
std::string terminal_ground(const Rgb& colour) { return sequence(48, colour); }

}  // namespace charm::html
