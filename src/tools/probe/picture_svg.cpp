// Matrices and curves of a measurement as SVG.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <sstream>

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

std::string x_text(const Curve& curve, double x) {
  return curve.x_unit == "B" ? base::format_bytes(static_cast<std::uint64_t>(x)) : three_digits(x);
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
  double x_low = 0, x_high = 0, y_low = 0, y_high = 0;
  for (const auto& series : curve.series) {
    for (const auto& p : series.points) {
      if (p.x <= 0 || p.y <= 0) continue;
      x_low = x_low == 0 ? p.x : std::min(x_low, p.x);
      x_high = std::max(x_high, p.x);
      y_low = y_low == 0 ? p.y : std::min(y_low, p.y);
      y_high = std::max(y_high, p.y);
    }
  }
  const auto spread = [](double v, double low, double high) {
    return high > low ? html::logarithmic_place(v, low, high) : 0.5;
  };
  constexpr double left = 70, right = 540, bottom = 260, height = 210;
  const auto px = [&](double x) { return left + (right - left) * spread(x, x_low, x_high); };
  const auto py = [&](double y) { return bottom - height * spread(y, y_low, y_high); };
  std::string out = text_element("text", {{"x", left}, {"y", 22}, {"font-size", 14}}, curve.name);
  out += text_at(left, 40, "start", curve.y + ", " + curve.y_unit);
  if (y_high > 0) {
    for (const double y : {y_low, std::sqrt(y_low * y_high), y_high}) {
      out += text_at(left - 6, py(y) + 4, "end", three_digits(y));
      out += element("line", {{"x1", left},
                              {"x2", right},
                              {"y1", py(y)},
                              {"y2", py(y)},
                              {"stroke", "currentColor"},
                              {"stroke-opacity", 0.2}});
    }
    for (const double x : {x_low, std::sqrt(x_low * x_high), x_high})
      out += text_at(px(x), bottom + 20, "middle", x_text(curve, x));
  }
  out += text_at((left + right) / 2, bottom + 38, "middle", curve.x);
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
    const double y = 313 + 18 * static_cast<double>(s);
    out += text_at(left + 14, y + 9, "start", curve.series[s].label);
    out += element("rect", {{"x", left}, {"y", y}, {"width", 10}, {"height", 10}, {"fill", colour}});
  }
  return picture(310 + 18 * static_cast<double>(curve.series.size()), curve.name, out);
}

}  // namespace charm::probe
