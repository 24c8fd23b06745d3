#include "cli/report/bars.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cli/format.hpp"
#include "cli/report/html.hpp"

namespace charm::cli {
namespace {

// All in the picture's own units, which the page scales to the width there is.
constexpr double width = 600;
constexpr double bars_from = 132;
constexpr double bars_to = 424;
constexpr double row_height = 30;
constexpr double bar_height = 16;
constexpr double axis_height = 22;

double slowest(const Result& row) { return row.rates().empty() ? 0 : row.rates().front(); }
double fastest(const Result& row) { return row.rates().empty() ? 0 : row.rates().back(); }

std::string colour_class(const std::string& runtime) {
  for (const char* known : {"charm", "openmp", "tbb", "serial"}) {
    if (runtime == known) return "bar-" + runtime;
  }
  return "bar-other";
}

}  // namespace

std::string row_title(const Result& row) { return row.policy == "none" ? row.runtime : row.runtime + " " + row.policy; }

std::vector<double> axis_ticks(double top) {
  if (!(top > 0) || !std::isfinite(top)) return {0, 1};
  // The smallest round step that needs at most five of it: 1, 2, 2.5 or 5 times a power of ten.
  const double least = top / 5 * (1 - 1e-9);
  const double decade = std::pow(10.0, std::floor(std::log10(least)));
  double step = 10 * decade;
  for (const double round : {5.0, 2.5, 2.0, 1.0}) {
    if (round * decade >= least) step = round * decade;
  }
  std::vector<double> ticks = {0};
  while (ticks.back() < top * (1 - 1e-9)) ticks.push_back(static_cast<double>(ticks.size()) * step);
  return ticks;
}

std::string rate_bars(const std::vector<Result>& rows) {
  double top = 0;
  for (const auto& row : rows) top = std::max(top, fastest(row));
  const std::vector<double> ticks = axis_ticks(top);
  const auto x = [&](double rate) { return bars_from + (bars_to - bars_from) * rate / ticks.back(); };
  const double bottom = row_height * static_cast<double>(rows.size()) + 4;

  std::string out = fmt::format("<svg class=\"bars\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Rates of {}\">\n",
                                width, bottom + axis_height, rows.empty() ? "" : escaped(rows.front().kernel));
  for (const double tick : ticks) {
    out += fmt::format("<line class=\"{}\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"0\" y2=\"{:.1f}\"/>\n",
                       tick == 0 ? "axis" : "grid", x(tick), x(tick), bottom);
    out += fmt::format("<text class=\"tick\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", x(tick),
                       bottom + 14, fmt::format("{:g}", tick));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Result& row = rows[i];
    const double middle = row_height * static_cast<double>(i) + row_height / 2 + 2;
    out += fmt::format("<text class=\"label\" x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", bars_from - 8,
                       middle + 4.5, escaped(row_title(row)));
    out += fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\"/>\n",
                       row.verified ? colour_class(row.runtime) : "bar-wrong", bars_from, middle - bar_height / 2,
                       x(row.rate()) - bars_from, bar_height);
    if (row.rates().size() > 1) {
      out += fmt::format(
          "<path class=\"whisker\" d=\"M{0:.1f} {1:.1f}V{2:.1f}M{0:.1f} {3:.1f}H{4:.1f}M{4:.1f} {1:.1f}V{2:.1f}\"/>\n",
          x(slowest(row)), middle - 4, middle + 4, middle, x(fastest(row)));
    }
    out += fmt::format("<text class=\"value\" x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{} {}</text>\n", width - 62,
                       middle + 4.5, format_rate(row.rate()), escaped(row.unit));
    out += fmt::format("<text class=\"value {}\" x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
                       row.verified ? "muted" : "bad", width - 2, middle + 4.5,
                       row.verified ? format_seconds(row.median_s()) : "wrong");
  }
  return out + "</svg>\n";
}

std::string comparison(const std::vector<Result>& rows) {
  std::vector<const Result*> order;
  for (const auto& row : rows) {
    if (row.verified) order.push_back(&row);
  }
  std::sort(order.begin(), order.end(),
            [](const Result* a, const Result* b) { return a->rate() != b->rate() ? a->rate() > b->rate() : a < b; });
  if (order.size() < 2 || order[1]->rate() <= 0) return "";
  const Result& first = *order[0];
  const Result& second = *order[1];
  if (slowest(first) <= fastest(second)) {
    return fmt::format("{} and {} differ by less than their spread", row_title(first), row_title(second));
  }
  return fmt::format("{} is fastest, {:.2f}× {}", row_title(first), first.rate() / second.rate(), row_title(second));
}

}  // namespace charm::cli
