#include "tools/cli/report/bars.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/format.hpp"
#include "tools/html/element.hpp"
#include "tools/html/scale.hpp"

namespace charm::cli {
namespace {

using html::element;
using html::text_element;

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

std::string row_title(const Result& row) {
  return row.policy == "none" ? row.runtime : row.runtime + " " + row.variant();
}

std::string rate_bars(const std::vector<Result>& rows) {
  double top = 0;
  for (const auto& row : rows) top = std::max(top, fastest(row));
  const std::vector<double> ticks = html::axis_ticks(top);
  const auto x = [&](double rate) { return bars_from + (bars_to - bars_from) * rate / ticks.back(); };
  const double bottom = row_height * static_cast<double>(rows.size()) + 4;

  std::string out;
  for (const double tick : ticks) {
    out += element(
        "line", {{"class", tick == 0 ? "axis" : "grid"}, {"x1", x(tick)}, {"x2", x(tick)}, {"y1", 0}, {"y2", bottom}});
    out += text_element("text", {{"class", "tick"}, {"x", x(tick)}, {"y", bottom + 14}, {"text-anchor", "middle"}},
                        fmt::format("{:g}", tick)) +
           "\n";
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Result& row = rows[i];
    const double middle = row_height * static_cast<double>(i) + row_height / 2 + 2;
    const double baseline = middle + 4.5;
    out += text_element("text", {{"x", bars_from - 8}, {"y", baseline}, {"text-anchor", "end"}}, row_title(row));
    out += element("rect", {{"class", row.verified ? colour_class(row.runtime) : "bar-wrong"},
                            {"x", bars_from},
                            {"y", middle - bar_height / 2},
                            {"width", x(row.rate()) - bars_from},
                            {"height", bar_height}});
    if (row.rates().size() > 1) {
      out +=
          element("path", {{"class", "whisker"},
                           {"d", fmt::format("M{0:.1f} {1:.1f}V{2:.1f}M{0:.1f} {3:.1f}H{4:.1f}M{4:.1f} {1:.1f}V{2:.1f}",
                                             x(slowest(row)), middle - 4, middle + 4, middle, x(fastest(row)))}});
    }
    out += text_element("text", {{"class", "value"}, {"x", width - 62}, {"y", baseline}, {"text-anchor", "end"}},
                        base::three_digits(row.rate()) + " " + row.unit);
    out += text_element("text",
                        {{"class", row.verified ? "value muted" : "value bad"},
                         {"x", width - 2},
                         {"y", baseline},
                         {"text-anchor", "end"}},
                        row.verified ? base::format_seconds(row.median_s()) : "wrong") +
           "\n";
  }
  return html::svg_picture(width, bottom + axis_height, "bars",
                           "Rates of " + (rows.empty() ? std::string() : rows.front().kernel), out);
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
