#include "tools/cli/report/speedups.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/present.hpp"
#include "tools/html/element.hpp"

namespace charm::cli {
namespace {

using html::element;
using html::text_element;

constexpr double picture_width = 720;
constexpr double left_edge = 40;
constexpr double plot_height = 160;
constexpr double names_height = 22;

}  // namespace

std::string speedup_bars(const Versus& versus) {
  std::vector<const Versus::Kernel*> kernels;
  double top = 1.25;
  double bottom = .8;
  for (const auto& each : versus.kernels) {
    if (!each.ratio) continue;
    kernels.push_back(&each);
    top = std::max(top, 1 / std::max(each.ratio->at95.low, .01));
    bottom = std::min(bottom, 1 / std::max(each.ratio->at95.high, .01));
  }
  if (kernels.empty()) return "";
  top = std::min(top, 4.0);
  const auto y = [&](double speedup) {
    return plot_height * (top - std::clamp(speedup, bottom, top)) / (top - bottom) + 6;
  };
  std::string out;
  const double step = top - bottom > 1.5 ? .5 : top - bottom > .6 ? .2 : .1;
  for (double tick = 1 - step * static_cast<int>((1 - bottom) / step); tick <= top; tick += step) {
    const bool even = tick > 1 - step / 2 && tick < 1 + step / 2;
    out += element("line", {{"class", even ? "axis" : "grid"},
                            {"x1", left_edge},
                            {"x2", picture_width},
                            {"y1", y(tick)},
                            {"y2", y(tick)}});
    out += text_element("text", {{"class", "tick"}, {"x", left_edge - 6}, {"y", y(tick) + 4}, {"text-anchor", "end"}},
                        fmt::format("{:.1f}", tick)) +
           "\n";
  }
  const double each_width = (picture_width - left_edge) / static_cast<double>(kernels.size());
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const compare::Ratio& ratio = base::present(kernels[i]->ratio);
    const double middle = left_edge + each_width * (static_cast<double>(i) + .5);
    const double end = y(1 / ratio.value);
    out += element("rect", {{"class", "bar-charm"},
                            {"x", middle - each_width * .3},
                            {"y", std::min(end, y(1))},
                            {"width", each_width * .6},
                            {"height", std::max(std::abs(end - y(1)), .5)}});
    out += element("path", {{"class", "whisker"},
                            {"d", fmt::format("M{:.1f} {:.1f}V{:.1f}", middle, y(1 / std::max(ratio.at95.low, .01)),
                                              y(1 / std::max(ratio.at95.high, .01)))}});
    out += text_element(
               "text", {{"class", "tick"}, {"x", middle}, {"y", plot_height + names_height}, {"text-anchor", "middle"}},
               kernels[i]->kernel) +
           "\n";
  }
  return html::svg_picture(picture_width, plot_height + names_height + 8, "bars",
                           fmt::format("Speed-up of charm {} over {} by query", versus.policy, versus.peer), out);
}

}  // namespace charm::cli
