#include "tools/cli/report/columns.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "tools/html/element.hpp"
#include "tools/html/palette.hpp"
#include "tools/html/scale.hpp"

namespace charm::cli {
namespace {

using html::element;
using html::text_element;

constexpr double columns_left = 44, columns_top = 28, columns_bottom = 208, column_width = 8, least_group = 26,
                 widest_group = 60, group_gap = 10, least_width = 600;

std::string columns_legend(const std::vector<std::string>& series) {
  std::string out;
  double x = columns_left;
  for (std::size_t i = 0; i < series.size(); ++i) {
    out += element("rect", {{"x", x}, {"y", 2}, {"width", 10}, {"height", 10}, {"fill", html::series_colour(i)}});
    out += text_element("text", {{"x", x + 15}, {"y", 11}}, series[i]);
    x += 40 + 7 * static_cast<double>(series[i].size());
  }
  return out;
}

}  // namespace

std::string columns(const std::string& label, const std::vector<std::string>& series,
                    const std::vector<ColumnGroup>& groups) {
  double most = 1;
  for (const auto& group : groups) {
    for (const double value : group.values) most = std::max(most, value);
  }
  const auto ticks = html::axis_ticks(most);
  const auto count = static_cast<double>(std::max<std::size_t>(groups.size(), 1));
  const double step = std::max({least_group, column_width * static_cast<double>(series.size()) + group_gap,
                                std::min(widest_group, (least_width - columns_left) / count)});
  const double right = columns_left + step * static_cast<double>(groups.size());
  const auto at = [&](double value) { return columns_bottom - (columns_bottom - columns_top) * value / ticks.back(); };
  std::string out = series.size() > 1 ? columns_legend(series) : "";
  for (const double tick : ticks) {
    out +=
        element("line", {{"class", "grid"}, {"x1", columns_left}, {"x2", right}, {"y1", at(tick)}, {"y2", at(tick)}});
    out +=
        text_element("text", {{"class", "tick"}, {"x", columns_left - 6}, {"y", at(tick) + 4}, {"text-anchor", "end"}},
                     fmt::format("{:g}", tick));
  }
  for (std::size_t place = 0; place < groups.size(); ++place) {
    const auto& [name, values] = groups[place];
    const double from = columns_left + step * (static_cast<double>(place) + 0.5) -
                        column_width * static_cast<double>(values.size()) / 2;
    for (std::size_t i = 0; i < values.size(); ++i) {
      out += element("rect",
                     {{"x", from + column_width * static_cast<double>(i)},
                      {"y", at(values[i])},
                      {"width", column_width},
                      {"height", columns_bottom - at(values[i])},
                      {"fill", html::series_colour(i)}},
                     text_element("title", {}, fmt::format("{}, {}: {:.2f}", name, series[i], values[i])));
    }
    out += text_element("text",
                        {{"class", "tick"},
                         {"x", columns_left + step * (static_cast<double>(place) + 0.5)},
                         {"y", columns_bottom + 16},
                         {"text-anchor", "middle"}},
                        name) +
           "\n";
  }
  out += element("line", {{"class", "axis"}, {"x1", columns_left}, {"x2", right}, {"y1", at(1)}, {"y2", at(1)}});
  return html::svg_picture(std::max(right + 10, least_width), columns_bottom + 26, "bars", label, out);
}

}  // namespace charm::cli
