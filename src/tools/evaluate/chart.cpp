#include "tools/evaluate/chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/format.hpp"
#include "tools/html/element.hpp"
#include "tools/html/scale.hpp"

namespace charm::evaluate {
namespace {

using html::element;
using html::text_element;

constexpr double chart_width = 760, chart_left = 330, chart_right = 735, row_height = 22, chart_top = 34;
constexpr std::size_t longest_label = 48;

std::string shortened(const std::string& text) {
  return text.size() <= longest_label ? text : text.substr(0, longest_label - 1) + "…";
}

std::string diamond(double x, double y) {
  return element("path", {{"class", "bar-openmp"}, {"d", fmt::format("M{:.1f} {:.1f}l5 5l-5 5l-5 -5z", x, y - 5)}});
}

std::string ring(double x, double y) {
  return element("circle", {{"class", "whisker"}, {"cx", x}, {"cy", y}, {"r", 4.5}});
}

std::string legend() {
  std::string out = element("circle", {{"class", "bar-charm"}, {"cx", chart_left + 4}, {"cy", 10}, {"r", 4}});
  out += text_element("text", {{"x", chart_left + 14}, {"y", 14}}, "measured, 95 %");
  out += diamond(chart_left + 134, 10);
  out += text_element("text", {{"x", chart_left + 144}, {"y", 14}}, "predicted");
  out += ring(chart_left + 224, 10);
  return out + text_element("text", {{"x", chart_left + 234}, {"y", 14}}, "published") + "\n";
}

}  // namespace

std::string forest_plot(const std::string& label, const std::vector<ChartRow>& rows, const std::string& unit) {
  std::vector<double> values;
  const auto add = [&](double value) {
    if (std::isfinite(value) && value > 0) values.push_back(value);
  };
  for (const ChartRow& row : rows) {
    if (row.measured) {
      for (const double value : {row.measured->value, row.measured->at95.low, row.measured->at95.high}) add(value);
    }
    for (const auto& value : {row.published, row.predicted, row.bound}) {
      if (value) add(*value);
    }
  }
  if (values.empty()) return "";
  auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double from = *low / 1.15, to = *high * 1.15;
  const auto at = [&](double value) {
    return chart_left + (chart_right - chart_left) * html::logarithmic_place(std::clamp(value, from, to), from, to);
  };
  const double bottom = chart_top + row_height * static_cast<double>(rows.size());
  std::string out = legend();
  for (const double tick : html::logarithmic_ticks(from, to)) {
    out += element("line", {{"class", tick == 1 && unit.empty() ? "axis" : "grid"},
                            {"x1", at(tick)},
                            {"x2", at(tick)},
                            {"y1", chart_top - 6},
                            {"y2", bottom}});
    out += text_element("text", {{"class", "tick"}, {"x", at(tick)}, {"y", bottom + 15}, {"text-anchor", "middle"}},
                        fmt::format("{:g}{}", tick, unit.empty() ? "" : " " + unit)) +
           "\n";
  }
  double y = chart_top + row_height / 2;
  for (const ChartRow& row : rows) {
    out += text_element("text", {{"x", 4}, {"y", y + 4}}, shortened(row.label));
    if (row.bound) {
      out += element("line", {{"class", "whisker"},
                              {"stroke-dasharray", "3 2"},
                              {"x1", at(*row.bound)},
                              {"x2", at(*row.bound)},
                              {"y1", y - 9},
                              {"y2", y + 9}});
    }
    if (row.predicted && *row.predicted > 0) out += diamond(at(*row.predicted), y);
    if (row.published && *row.published > 0) out += ring(at(*row.published), y);
    if (row.measured && row.measured->value > 0) {
      out += element("line", {{"class", "whisker"},
                              {"x1", at(std::max(row.measured->at95.low, from))},
                              {"x2", at(row.measured->at95.high)},
                              {"y1", y},
                              {"y2", y}});
      out += element("circle", {{"class", "bar-charm"}, {"cx", at(row.measured->value)}, {"cy", y}, {"r", 4}});
    }
    out += "\n";
    y += row_height;
  }
  return html::svg_picture(chart_width, bottom + 22, "bars", label, out);
}

}  // namespace charm::evaluate
