#include "tools/cli/report/history.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "tools/html/element.hpp"
#include "tools/html/markup.hpp"

namespace charm::cli {
namespace {

using html::element;
using html::text_element;

constexpr double width = 720, left = 150, right = 12, spread_height = 90, curve_height = 46, gap = 16;
constexpr std::size_t most_listed = 40;

struct Axis {
  double end;
  [[nodiscard]] double x(double time) const { return left + (width - left - right) * std::clamp(time / end, 0.0, 1.0); }
};

/// A curve of one number per point, from 0 at the bottom to `top`; negative values are unknown and leave a hole.
std::string curve(const std::vector<TimelinePoint>& points, const Axis& axis, double y, double height, double top,
                  const char* css, const std::function<double(const TimelinePoint&)>& value, bool steps) {
  std::string path;
  bool pen_down = false;
  for (const TimelinePoint& p : points) {
    const double v = value(p);
    if (v < 0) {
      pen_down = false;
      continue;
    }
    const double at = y + height * (1 - std::min(1.0, v / top));
    const double from = axis.x(p.time - p.seconds), to = axis.x(p.time);
    if (steps) {
      path += fmt::format("{}{:.1f} {:.1f}H{:.1f}", pen_down ? "L" : "M", from, at, to);
    } else {
      path += fmt::format("{}{:.1f} {:.1f}", pen_down ? "L" : "M", (from + to) / 2, at);
    }
    pen_down = true;
  }
  return path.empty() ? "" : element("path", {{"class", css}, {"d", path}}) + "\n";
}

std::string label(double y, const std::string& text, const std::string& unit) {
  return text_element("text", {{"x", 0}, {"y", y + 12}}, text) +
         text_element("text", {{"x", 0}, {"y", y + 26}, {"class", "tick"}}, unit) + "\n";
}

std::string level(const char* css, double y) {
  return element("line", {{"class", css}, {"x1", left}, {"x2", width - right}, {"y1", y}, {"y2", y}}) + "\n";
}

}  // namespace

std::string history_picture(const PolicyHistory& history) {
  const auto& points = history.timeline;
  if (points.empty()) return "";
  const Axis axis{std::max(points.back().time, 1e-9)};
  int most = 1;
  double fastest = 0;
  bool counters = false;
  for (const auto& p : points) {
    most = std::max(most, p.spread);
    fastest = std::max(fastest, p.throughput);
    counters = counters || p.stall_dram >= 0;
  }
  double y = gap;
  std::string out = label(y, "chiplets", fmt::format("0 to {}", most));
  out += level("axis", y + spread_height);
  out += curve(points, axis, y, spread_height, most, "spread", [](const TimelinePoint& p) { return p.spread; }, true);
  for (const Decision& d : history.decisions) {
    const double height = std::min(1.0, static_cast<double>(d.to) / most);
    out +=
        element("circle",
                {{"class", "decision"}, {"cx", axis.x(d.time)}, {"cy", y + spread_height * (1 - height)}, {"r", 2.6}},
                text_element("title", {}, explain(d))) +
        "\n";
  }
  y += spread_height + gap;
  struct Row {
    const char* name;
    double top;
    std::function<double(const TimelinePoint&)> value;
  };
  std::vector<Row> rows = {
      {"work per second", std::max(fastest, 1e-300), [](const TimelinePoint& p) { return p.throughput; }}};
  if (counters) {
    rows.push_back({"stalled on memory", 1, [](const TimelinePoint& p) { return p.stall_dram; }});
    rows.push_back({"on other chiplets", 1, [](const TimelinePoint& p) { return p.stall_other_chiplet; }});
  }
  rows.push_back({"idle", 1, [](const TimelinePoint& p) { return p.idle; }});
  for (const Row& row : rows) {
    out += label(y, row.name, row.top == 1 ? "0 to 100 %" : fmt::format("0 to {:.3g}", row.top));
    out += level("grid", y + curve_height);
    out += curve(points, axis, y, curve_height, row.top, "signal", row.value, false);
    y += curve_height + gap;
  }
  out += text_element("text", {{"class", "tick"}, {"x", left}, {"y", y}}, "0 s");
  out += text_element("text", {{"class", "tick"}, {"x", width - right}, {"y", y}, {"text-anchor", "end"}},
                      fmt::format("{:.3g} s", axis.end)) +
         "\n";
  return html::svg_picture(width, y + gap / 2, "bars history",
                           "spread and signals of policy " + history.policy + " over time", out);
}

std::string history_list(const PolicyHistory& history) {
  const auto& all = history.decisions;
  if (all.empty()) return "<p class=\"muted\">Nothing was decided: the workers stayed where they started.</p>\n";
  std::string out = "<ol class=\"notes\">\n";
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all.size() > most_listed && i == most_listed / 2) {
      const std::size_t skipped = all.size() - most_listed;
      out += fmt::format("<li class=\"muted\" value=\"{}\">… and {} more</li>\n", i + 1, skipped);
      i += skipped;
    }
    out += fmt::format("<li value=\"{}\">{}</li>\n", i + 1, html::escaped(explain(all[i])));
  }
  return out + "</ol>\n";
}

}  // namespace charm::cli
