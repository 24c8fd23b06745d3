#include "tools/cli/report/dots.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "tools/html/element.hpp"
#include "tools/html/scale.hpp"

namespace charm::cli {
namespace {

using html::element;
using html::text_element;

constexpr double width = 600, left = 64, right = 588, top = 30, bottom = 236;
constexpr std::array<const char*, 5> colours = {"bar-charm", "bar-openmp", "bar-tbb", "bar-other", "bar-serial"};

struct Range {
  double low = 0, high = 1;
};

/// What the values span, with a little room.
Range span_of(std::vector<double> values) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  if (values.empty()) return {};
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double room = std::max((*high - *low) * 0.06, std::abs(*high) * 0.002);
  return {*low - room, *high + room};
}

/// Shapes tell series apart without colour.
std::string mark(std::size_t series, double x, double y) {
  const char* colour = colours[series % colours.size()];
  switch (series % 3) {
    case 0:
      return element("circle", {{"class", colour}, {"cx", x}, {"cy", y}, {"r", 3.4}});
    case 1:
      return element("rect", {{"class", colour}, {"x", x - 3}, {"y", y - 3}, {"width", 6}, {"height", 6}});
    default:
      return element("path", {{"class", colour}, {"d", fmt::format("M{:.1f} {:.1f}l4 7h-8z", x, y - 4)}});
  }
}

}  // namespace

std::string dots(const std::string& label, const std::vector<DotSeries>& series, const std::vector<Band>& bands,
                 std::optional<double> reference) {
  std::vector<double> xs;
  std::vector<double> ys;
  for (const auto& one : series) {
    for (const auto& [x, y] : one.points) {
      xs.push_back(x);
      ys.push_back(y);
    }
  }
  for (const Band& band : bands) {
    if (band.low == 0 && band.high == 0) continue;
    ys.insert(ys.end(), {band.low, band.high});
  }
  if (reference && !ys.empty()) ys.push_back(*reference);
  const Range across = span_of(xs);
  const Range up = span_of(ys);
  const auto at_x = [&](double x) { return left + (right - left) * (x - across.low) / (across.high - across.low); };
  const auto at_y = [&](double y) { return bottom - (bottom - top) * (y - up.low) / (up.high - up.low); };

  const auto level = [&](const char* kind, double y) {
    return element("line", {{"class", kind}, {"x1", left}, {"x2", right}, {"y1", at_y(y)}, {"y2", at_y(y)}});
  };
  std::string out;
  for (const double tick : html::ticks_between(up.low, up.high)) {
    out += level("grid", tick);
    out += text_element("text", {{"class", "tick"}, {"x", left - 6}, {"y", at_y(tick) + 4}, {"text-anchor", "end"}},
                        fmt::format("{:g}", tick)) +
           "\n";
  }
  if (reference && !ys.empty()) out += level("axis", *reference);
  for (std::size_t i = 0; i < bands.size(); ++i) {
    const Band& band = bands[i];
    if (band.low == 0 && band.high == 0) continue;
    out += element("rect", {{"class", colours[i % colours.size()]},
                            {"opacity", 0.22},
                            {"x", left},
                            {"y", at_y(band.high)},
                            {"width", right - left},
                            {"height", std::max(1.0, at_y(band.low) - at_y(band.high))}});
    out += level("whisker", band.value);
  }
  double legend = left;
  for (std::size_t i = 0; i < series.size(); ++i) {
    for (const auto& [x, y] : series[i].points) out += mark(i, at_x(x), at_y(y));
    out += mark(i, legend + 4, 12);
    out += text_element("text", {{"x", legend + 14}, {"y", 16}}, series[i].name) + "\n";
    legend += 34 + 7.5 * static_cast<double>(series[i].name.size());
  }
  return html::svg_picture(width, bottom + 12, "bars", label, out);
}

}  // namespace charm::cli
