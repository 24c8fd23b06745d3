// Matrices and curves of a measurement as SVG.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "base/format.hpp"
#include "tools/html/element.hpp"
#include "tools/html/palette.hpp"
#include "tools/html/scale.hpp"
#include "tools/probe/picture.hpp"

namespace charm::probe {
namespace {

using base::three_digits;
using html::element;
using html::text_element;

std::string text_at(double x, double y, const char* anchor, const std::string& text) {
  return text_element("text", {{"x", x}, {"y", y}, {"text-anchor", anchor}}, text);
}

std::string picture(double height, const std::string& title, const std::string& inside) {
  return html::svg_file(html::svg_picture(
      600, height, "probe", title,
      element("g", {{"font-family", "sans-serif"}, {"font-size", 12}, {"fill", "currentColor"}}, inside)));
}

/// Of the values above 0, which are those that a logarithmic axis shows.
struct Extent {
  double low = 0, high = 0;
};

Extent extent_of(const Curve& curve, double Point::* coordinate) {
  Extent extent;
  for (const auto& series : curve.series) {
    for (const auto& p : series.points) {
      if (p.x <= 0 || p.y <= 0) continue;
      extent.low = extent.low == 0 ? p.*coordinate : std::min(extent.low, p.*coordinate);
      extent.high = std::max(extent.high, p.*coordinate);
    }
  }
  return extent;
}

double place_in(const Extent& extent, double value) {
  return extent.high > extent.low ? html::logarithmic_place(value, extent.low, extent.high) : 0.5;
}

/// Nobody runs 1.4 processes: where all points are at whole numbers, so are the ticks.
std::vector<double> x_ticks(const Curve& curve, const Extent& x) {
  if (!(x.high > x.low)) return x.low > 0 ? std::vector{x.low} : std::vector<double>();
  if (curve.x_unit == "B") return html::byte_ticks(x.low, x.high);
  auto ticks = html::logarithmic_ticks(x.low, x.high);
  const bool whole = std::all_of(curve.series.begin(), curve.series.end(), [](const Series& series) {
    return std::all_of(series.points.begin(), series.points.end(),
                       [](const Point& p) { return p.x == std::round(p.x); });
  });
  if (whole) std::erase_if(ticks, [](double tick) { return tick != std::round(tick); });
  if (ticks.empty()) ticks = {x.low, x.high};
  return ticks;
}

}  // namespace

std::string heatmap_svg(const LatencyMatrix& matrix, const std::vector<int>& cpus, const std::string& title,
                        const std::string& unit) {
  const int n = matrix.rows();
  const MatrixRange range = range_of(matrix);
  constexpr int side = 512, left = 44, top = 30;
  const double cell = n > 0 ? static_cast<double>(side) / n : side;
  const auto cpu = [&](int row) { return std::to_string(cpus[static_cast<std::size_t>(row)]); };
  std::string cells = element("rect", {{"width", side}, {"height", side}, {"fill", "#8884"}});
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      if (!matrix.measured(i, j)) continue;
      const double value = matrix.at(i, j);
      const double place = html::logarithmic_place(value, range.low, range.high);
      // A tooltip a cell is a great help on a small machine and megabytes on a large one.
      const std::string tip =
          n <= 64
              ? text_element("title", {}, "cpu " + cpu(i) + " and " + cpu(j) + ": " + three_digits(value) + " " + unit)
              : "";
      cells += element("rect",
                       {{"x", j * cell},
                        {"y", i * cell},
                        {"width", cell},
                        {"height", cell},
                        {"fill", html::hex(html::heat_colour(place))}},
                       tip);
      if (n <= 8) {
        cells += text_element("text",
                              {{"x", (j + 0.5) * cell},
                               {"y", (i + 0.5) * cell + 4},
                               {"text-anchor", "middle"},
                               {"fill", place > 0.6 ? "#000" : "#fff"}},
                              three_digits(value));
      }
    }
  }
  std::string out = text_element("text", {{"x", left}, {"y", 20}, {"font-size", 14}}, title);
  out += element("g", {{"transform", "translate(44,30)"}, {"shape-rendering", "crispEdges"}}, cells);
  const int step = std::max(1, n / 8);
  for (int i = 0; i < n; i += step) out += text_at(38, top + (i + 0.5) * cell + 4, "end", cpu(i));
  out += text_at(left, 575, "start", three_digits(range.low));
  out += text_at(left + side / 2.0, 575, "middle", "logarithmic");
  out += text_at(left + side, 575, "end", three_digits(range.high) + " " + unit);
  for (int k = 0; k < 64; ++k) {
    out += element("rect", {{"x", left + k * 8},
                            {"y", 550},
                            {"width", 8.2},
                            {"height", 10},
                            {"fill", html::hex(html::heat_colour(k / 63.0))}});
  }
  return picture(590, title, out);
}

std::string curve_svg(const Curve& curve) {
  const Extent x = extent_of(curve, &Point::x);
  Extent y = extent_of(curve, &Point::y);
  // A curve that hardly rises is to look like one.
  if (y.high < 2 * y.low) y = {std::sqrt(y.low * y.high / 2), std::sqrt(y.low * y.high * 2)};
  constexpr double left = 70, right = 540, bottom = 260, height = 210;
  const auto px = [&](double value) { return left + (right - left) * place_in(x, value); };
  const auto py = [&](double value) { return bottom - height * place_in(y, value); };
  std::string out = text_element("text", {{"x", left}, {"y", 22}, {"font-size", 14}}, curve.name);
  out += text_at(left, 40, "start", curve.y + ", " + curve.y_unit + " (logarithmic)");
  for (const double tick : html::logarithmic_ticks(y.low, y.high)) {
    out += text_at(left - 6, py(tick) + 4, "end", fmt::format("{:.12g}", tick));
    out += element("line", {{"x1", left},
                            {"x2", right},
                            {"y1", py(tick)},
                            {"y2", py(tick)},
                            {"stroke", "currentColor"},
                            {"stroke-opacity", 0.2}});
  }
  for (const double tick : x_ticks(curve, x)) out += text_at(px(tick), bottom + 20, "middle", x_text(curve, tick));
  out += text_at((left + right) / 2, bottom + 38, "middle", curve.x + " (logarithmic)");
  for (std::size_t s = 0; s < curve.series.size(); ++s) {
    const char* colour = html::series_colour(s);
    std::string line;
    std::string marks;
    for (const auto& p : curve.series[s].points) {
      if (p.x <= 0 || p.y <= 0) continue;
      line += html::coordinate(px(p.x)) + "," + html::coordinate(py(p.y)) + " ";
      marks += element("circle", {{"cx", px(p.x)}, {"cy", py(p.y)}, {"r", 3}, {"fill", colour}},
                       text_element("title", {}, x_text(curve, p.x) + ": " + three_digits(p.y) + " " + curve.y_unit));
    }
    out += element("polyline", {{"fill", "none"}, {"stroke", colour}, {"stroke-width", 2}, {"points", line}}) + marks;
    const double from = 313 + 18 * static_cast<double>(s);
    out += text_at(left + 14, from + 9, "start", curve.series[s].label);
    out += element("rect", {{"x", left}, {"y", from}, {"width", 10}, {"height", 10}, {"fill", colour}});
  }
  return picture(310 + 18 * static_cast<double>(curve.series.size()), curve.name, out);
}

}  // namespace charm::probe
