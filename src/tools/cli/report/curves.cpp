#include "tools/cli/report/curves.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "base/format.hpp"
#include "tools/html/element.hpp"
#include "tools/html/palette.hpp"
#include "tools/html/scale.hpp"

namespace charm::cli {
namespace {

using html::element;
using html::text_element;

constexpr double width = 600, left = 56, right = 470, top = 8, bottom = 230;
constexpr std::size_t most_labels = 9;

}  // namespace

std::string curves(const std::string& label, const std::vector<CurveSeries>& series, bool step) {
  std::set<double> xs;
  double most = 0;
  for (const auto& s : series) {
    for (const auto& [x, y] : s.points) {
      xs.insert(x);
      most = std::max(most, y);
    }
  }
  const auto ticks = html::axis_ticks(most);
  const auto at_x = [&](double x) {
    if (step) return left + (right - left) * (xs.empty() ? 0 : x / std::max(1e-9, *xs.rbegin()));
    const auto rank = static_cast<double>(std::distance(xs.begin(), xs.find(x)));
    return left + (right - left) * (xs.size() < 2 ? 0.5 : rank / static_cast<double>(xs.size() - 1));
  };
  const auto at_y = [&](double y) { return bottom - (bottom - top) * y / ticks.back(); };
  std::string out;
  for (const double tick : ticks) {
    out += element("line", {{"class", "grid"}, {"x1", left}, {"x2", right}, {"y1", at_y(tick)}, {"y2", at_y(tick)}});
    out += text_element("text", {{"class", "tick"}, {"x", left - 6}, {"y", at_y(tick) + 4}, {"text-anchor", "end"}},
                        fmt::format("{:g}", tick)) +
           "\n";
  }
  // Points over time lie anywhere, and the first moves close together: their axis has round numbers.
  std::vector<double> labels;
  if (step && !xs.empty()) labels = html::ticks_between(0, *xs.rbegin());
  if (!step) {
    const std::size_t every = (xs.size() + most_labels - 1) / most_labels;
    std::size_t seen = 0;
    for (const double x : xs) {
      if (seen++ % every == 0) labels.push_back(x);
    }
  }
  for (const double x : labels) {
    out += text_element("text", {{"class", "tick"}, {"x", at_x(x)}, {"y", bottom + 18}, {"text-anchor", "middle"}},
                        step || x == std::round(x) ? fmt::format("{:.12g}", x) : base::three_digits(x));
  }
  for (std::size_t i = 0; i < series.size(); ++i) {
    const char* colour = html::series_colour(i);
    std::string path;
    if (series[i].points.size() == 1) {
      const auto& [x, y] = series[i].points.front();
      out += element("circle", {{"cx", at_x(x)}, {"cy", at_y(y)}, {"r", 3.5}, {"fill", colour}});
    }
    for (const auto& [x, y] : series[i].points) {
      if (path.empty()) {
        path = fmt::format("M{:.1f} {:.1f}", at_x(x), at_y(y));
      } else if (step) {
        path += fmt::format("H{:.1f}V{:.1f}", at_x(x), at_y(y));
      } else {
        path += fmt::format("L{:.1f} {:.1f}", at_x(x), at_y(y));
      }
    }
    const double y = top + 18 * static_cast<double>(i);
    out += element("path", {{"d", path}, {"fill", "none"}, {"stroke", colour}, {"stroke-width", 2}});
    out += element("rect", {{"x", right + 14}, {"y", y}, {"width", 10}, {"height", 10}, {"fill", colour}});
    out += text_element("text", {{"x", right + 29}, {"y", y + 9}}, series[i].name) + "\n";
  }
  return html::svg_picture(width, bottom + 26, "bars", label, out);
}

}  // namespace charm::cli
