#include "cli/report/dots.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "cli/report/html.hpp"

namespace charm::cli {
namespace {

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

/// Round numbers within the range, three to seven of them.
std::vector<double> ticks_in(const Range& range) {
  const double width_of_all = range.high - range.low;
  if (!(width_of_all > 0)) return {};
  const double least = width_of_all / 6;
  const double decade = std::pow(10.0, std::floor(std::log10(least)));
  double step = 10 * decade;
  for (const double round : {5.0, 2.0, 1.0}) {
    if (round * decade >= least) step = round * decade;
  }
  std::vector<double> ticks;
  for (double n = std::ceil(range.low / step); n * step <= range.high; ++n) ticks.push_back(n * step);
  return ticks;
}

/// Shapes tell series apart without colour.
std::string mark(std::size_t series, double x, double y) {
  const char* colour = colours[series % colours.size()];
  switch (series % 3) {
    case 0:
      return fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.4\"/>\n", colour, x, y);
    case 1:
      return fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"6\" height=\"6\"/>\n", colour, x - 3,
                         y - 3);
    default:
      return fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.1f}l4 7h-8z\"/>\n", colour, x, y - 4);
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

  std::string out = fmt::format("<svg class=\"bars\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n", width,
                                bottom + 12, escaped(label));
  for (const double tick : ticks_in(up)) {
    out += fmt::format(
        "<line class=\"grid\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/><text class=\"tick\" x=\"{3}\" "
        "y=\"{4:.1f}\" text-anchor=\"end\">{5:g}</text>\n",
        left, right, at_y(tick), left - 6, at_y(tick) + 4, std::abs(tick) < 1e-12 ? 0.0 : tick);
  }
  if (reference && !ys.empty()) {
    out += fmt::format("<line class=\"axis\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>\n", left, right,
                       at_y(*reference));
  }
  for (std::size_t i = 0; i < bands.size(); ++i) {
    const Band& band = bands[i];
    if (band.low == 0 && band.high == 0) continue;
    out += fmt::format(
        "<rect class=\"{}\" opacity=\"0.22\" x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\"/>"
        "<line class=\"whisker\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
        colours[i % colours.size()], left, at_y(band.high), right - left,
        std::max(1.0, at_y(band.low) - at_y(band.high)), left, right, at_y(band.value), at_y(band.value));
  }
  double legend = left;
  for (std::size_t i = 0; i < series.size(); ++i) {
    for (const auto& [x, y] : series[i].points) out += mark(i, at_x(x), at_y(y));
    out += mark(i, legend + 4, 12);
    out += fmt::format("<text x=\"{:.1f}\" y=\"16\">{}</text>\n", legend + 14, escaped(series[i].name));
    legend += 34 + 7.5 * static_cast<double>(series[i].name.size());
  }
  return out + "</svg>\n";
}

}  // namespace charm::cli
