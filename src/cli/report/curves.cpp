#include "cli/report/curves.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "cli/format.hpp"
#include "cli/report/bars.hpp"
#include "cli/report/html.hpp"

namespace charm::cli {
namespace {

constexpr double width = 600, left = 56, right = 470, top = 8, bottom = 230;
// Okabe and Ito's, as the bars are.
constexpr std::array<const char*, 8> colours = {"#0072b2", "#e69f00", "#009e73", "#cc79a7",
                                                "#d55e00", "#56b4e9", "#8a8f98", "#f0e442"};

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
  const auto ticks = axis_ticks(most);
  const auto at_x = [&](double x) {
    if (step) return left + (right - left) * (xs.empty() ? 0 : x / std::max(1e-9, *xs.rbegin()));
    const auto rank = static_cast<double>(std::distance(xs.begin(), xs.find(x)));
    return left + (right - left) * (xs.size() < 2 ? 0.5 : rank / static_cast<double>(xs.size() - 1));
  };
  const auto at_y = [&](double y) { return bottom - (bottom - top) * y / ticks.back(); };
  std::string out = fmt::format("<svg class=\"bars\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n", width,
                                bottom + 26, escaped(label));
  for (const double tick : ticks) {
    out += fmt::format(
        "<line class=\"grid\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/><text class=\"tick\" x=\"{3}\" "
        "y=\"{4:.1f}\" text-anchor=\"end\">{5:g}</text>\n",
        left, right, at_y(tick), left - 6, at_y(tick) + 4, tick);
  }
  std::size_t shown = 0;
  const std::size_t every = std::max<std::size_t>(1, xs.size() / 8);
  for (const double x : xs) {
    if (shown++ % every != 0) continue;
    out += fmt::format("<text class=\"tick\" x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", at_x(x),
                       bottom + 18, three_digits(x));
  }
  for (std::size_t i = 0; i < series.size(); ++i) {
    const char* colour = colours[i % colours.size()];
    std::string path;
    for (const auto& [x, y] : series[i].points) {
      if (path.empty()) {
        path = fmt::format("M{:.1f} {:.1f}", at_x(x), at_y(y));
      } else if (step) {
        path += fmt::format("H{:.1f}V{:.1f}", at_x(x), at_y(y));
      } else {
        path += fmt::format("L{:.1f} {:.1f}", at_x(x), at_y(y));
      }
    }
    out += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n", path, colour);
    out += fmt::format(
        "<rect x=\"{0}\" y=\"{1}\" width=\"10\" height=\"10\" fill=\"{2}\"/><text x=\"{3}\" y=\"{4}\">{5}</text>\n",
        right + 14, top + 18 * static_cast<double>(i), colour, right + 29, top + 9 + 18 * static_cast<double>(i),
        escaped(series[i].name));
  }
  return out + "</svg>\n";
}

}  // namespace charm::cli
