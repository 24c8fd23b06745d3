#include "tools/probe/picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <sstream>

#include <fmt/format.h>

#include "base/format.hpp"
#include "tools/html/element.hpp"
#include "tools/html/html.hpp"
#include "tools/html/palette.hpp"
#include "tools/html/scale.hpp"

namespace charm::probe {

MatrixRange range_of(const LatencyMatrix& matrix) {
  MatrixRange range;
  for (int i = 0; i < matrix.rows(); ++i) {
    for (int j = 0; j < i; ++j) {
      if (!matrix.measured(i, j)) continue;
      const double v = matrix.at(i, j);
      range.low = range.low == 0 ? v : std::min(range.low, v);
      range.high = std::max(range.high, v);
    }
  }
  return range;
}

std::string x_text(const Curve& curve, double x) {
  if (curve.x_unit == "B") return base::format_bytes(static_cast<std::uint64_t>(x));
  return x == std::round(x) ? fmt::format("{:.0f}", x) : base::three_digits(x);
}

namespace {

using html::text_element;

double median_of_block(const LatencyMatrix& matrix, int i0, int i1, int j0, int j1) {
  std::vector<double> values;
  for (int i = i0; i < i1; ++i) {
    for (int j = j0; j < j1; ++j) {
      if (matrix.measured(i, j)) values.push_back(matrix.at(i, j));
    }
  }
  return median_of(std::move(values));
}

std::string group_line(const Partition& groups, const std::vector<int>& cpus) {
  std::ostringstream line;
  std::size_t shown = 0;
  for (const auto& group : groups) {
    if (++shown > 16) {
      line << " ...";
      break;
    }
    line << (shown > 1 ? "  " : "");
    std::vector<int> numbers;
    for (int row : group) numbers.push_back(cpus.empty() ? row : cpus[static_cast<std::size_t>(row)]);
    line << CpuSet(std::move(numbers)).to_text();
  }
  return line.str();
}

std::string levels_text(const Clustering& seen, const std::vector<int>& cpus) {
  std::ostringstream text;
  const auto level = [&](const char* name, const Partition& groups, double sure, bool pairs) {
    char head[80];
    std::snprintf(head, sizeof head, "%-9s %4zu  confidence %.2f  ", name, groups.size(), sure);
    text << head;
    if (!pairs) {
      text << group_line(groups, cpus);
    } else {
      std::size_t most = 1;
      for (const auto& g : groups) most = std::max(most, g.size());
      text << (most == 1 ? "no SMT siblings seen" : "up to " + std::to_string(most) + " threads a core");
    }
    text << '\n';
  };
  level("cores", seen.smt, seen.confidence.smt, true);
  level("chiplets", seen.chiplets, seen.confidence.chiplets, false);
  level("nodes", seen.nodes, seen.confidence.nodes, false);
  level("sockets", seen.sockets, seen.confidence.sockets, false);
  if (!seen.unmeasured.empty()) text << seen.unmeasured.size() << " rows have no measurement and are in no group.\n";
  for (const auto& note : seen.notes) text << "note: " << note << '\n';
  return text.str();
}

/// A series as one line of marks, by its values on a logarithmic scale over all series of the curve.
std::string spark(const Series& series, const MatrixRange& range, const TextStyle& style) {
  static constexpr const char* plain[] = {"_", ".", ":", "-", "=", "+", "*", "#", "@"};
  static constexpr const char* blocks[] = {"▁", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::string line;
  for (const Point& p : series.points) {
    const double place = p.y > 0 ? html::logarithmic_place(p.y, range.low, range.high) : 0;
    if (style.colour) line += html::terminal_ink(html::heat_colour(place));
    line += (style.ascii ? plain : blocks)[static_cast<int>(place * 8)];
  }
  return style.colour && !line.empty() ? line + "\x1b[0m" : line;
}

std::string curve_text(const Curve& curve, const TextStyle& style) {
  std::ostringstream text;
  text << curve.name << " (" << curve.y_unit << ")\n";
  std::vector<double> xs;
  for (const auto& series : curve.series) {
    for (const auto& p : series.points) xs.push_back(p.x);
  }
  std::sort(xs.begin(), xs.end());
  xs.erase(std::unique(xs.begin(), xs.end()), xs.end());
  char cell[64];
  std::snprintf(cell, sizeof cell, "  %12s", curve.x.c_str());
  text << cell;
  for (const auto& series : curve.series) {
    std::snprintf(cell, sizeof cell, "  %14s", series.label.c_str());
    text << cell;
  }
  text << '\n';
  for (double x : xs) {
    std::snprintf(cell, sizeof cell, "  %12s", x_text(curve, x).c_str());
    text << cell;
    for (const auto& series : curve.series) {
      const auto p = std::find_if(series.points.begin(), series.points.end(), [&](const Point& q) { return q.x == x; });
      std::snprintf(cell, sizeof cell, "  %14s", p == series.points.end() ? "-" : base::three_digits(p->y).c_str());
      text << cell;
    }
    text << '\n';
  }
  MatrixRange range;
  for (const auto& series : curve.series) {
    for (const auto& p : series.points) {
      if (p.y <= 0) continue;
      range.low = range.low == 0 ? p.y : std::min(range.low, p.y);
      range.high = std::max(range.high, p.y);
    }
  }
  for (const auto& series : curve.series) {
    if (series.points.size() > 2) text << "  " << spark(series, range, style) << ' ' << series.label << '\n';
  }
  return text.str();
}

}  // namespace

std::string heatmap_text(const LatencyMatrix& matrix, const std::string& unit, const TextStyle& style) {
  const int n = matrix.rows();
  if (n == 0) return "";
  const MatrixRange range = range_of(matrix);
  if (range.high <= 0) return "nothing was measured\n";
  const int wide = style.colour ? 2 : 1;
  const int cells = std::max(1, std::min(n, (style.columns - 2) / wide));
  static constexpr const char* plain[] = {".", ":", "-", "=", "+", "*", "#", "%", "@"};
  static constexpr const char* blocks[] = {"░", "░", "▒", "▒", "▒", "▓", "▓", "█", "█"};
  std::ostringstream text;
  for (int r = 0; r < cells; ++r) {
    text << ' ';
    for (int c = 0; c < cells; ++c) {
      const double v = median_of_block(matrix, r * n / cells, (r + 1) * n / cells, c * n / cells, (c + 1) * n / cells);
      if (v <= 0) {
        text << (style.colour ? "\x1b[0m  " : " ");
        continue;
      }
      const double place = html::logarithmic_place(v, range.low, range.high);
      if (style.colour) {
        text << html::terminal_ground(html::heat_colour(place)) << "  ";
      } else {
        text << (style.ascii ? plain : blocks)[static_cast<int>(place * 8)];
      }
    }
    text << (style.colour ? "\x1b[0m\n" : "\n");
  }
  text << ' ' << base::three_digits(range.low) << ' ' << unit << ' ';
  for (int k = 0; k < 9; ++k) {
    if (style.colour) {
      text << html::terminal_ground(html::heat_colour(k / 8.0)) << "  ";
    } else {
      text << (style.ascii ? plain : blocks)[k];
    }
  }
  text << (style.colour ? "\x1b[0m" : "") << ' ' << base::three_digits(range.high) << ' ' << unit << '\n';
  return text.str();
}

std::string clustering_text(const Clustering& clustering) { return levels_text(clustering, {}); }

std::string profile_text(const Profile& profile, const TextStyle& style) {
  std::ostringstream text;
  text << (profile.key.name.empty() ? "this machine" : profile.key.name) << ", " << profile.cpus.size() << " cpus, "
       << profile.date << (profile.partial ? ", PARTIAL" : "") << (profile.sampled ? ", sampled" : "")
       << "\n\nLatency between cpus\n"
       << heatmap_text(profile.latency, "ns", style) << "\nBandwidth between cpus\n"
       << heatmap_text(profile.bandwidth, "GB/s", style) << "\nSeen in the latencies alone\n"
       << levels_text(profile.seen, profile.cpus) << '\n';
  for (const auto& curve : profile.curves) text << curve_text(curve, style) << '\n';
  for (const auto& note : profile.notes) text << "note: " << note << '\n';
  for (const auto& doubt : profile.doubts) text << "doubtful: " << doubt << ".\n";
  return text.str();
}

std::string profile_html(const Profile& profile) {
  const std::string title = "Measured: " + (profile.key.name.empty() ? std::string("this machine") : profile.key.name);
  std::string body = "<header>" + text_element("h1", {}, title) + "\n" +
                     text_element("p", {{"class", "lead"}},
                                  std::to_string(profile.cpus.size()) + " cpus, " + profile.date +
                                      (profile.sampled ? ", sampled" : "")) +
                     "\n";
  if (profile.partial)
    body += text_element("p", {{"class", "verdict bad"}}, "partial: interrupted before its end") + "\n";
  for (const auto& doubt : profile.doubts)
    body += text_element("p", {{"class", "verdict bad"}}, "doubtful: " + doubt) + "\n";
  body += "</header>\n<h2>Seen in the latencies alone</h2>\n" +
          text_element("pre", {}, levels_text(profile.seen, profile.cpus)) +
          "\n<h2>Between cpus</h2>\n<div class=\"panels\">\n" + "<figure>" +
          heatmap_svg(profile.latency, profile.cpus, "Latency", "ns") + "</figure>\n<figure>" +
          heatmap_svg(profile.bandwidth, profile.cpus, "Bandwidth", "GB/s") + "</figure>\n" +
          "</div>\n<h2>Memory</h2>\n<div class=\"panels\">\n";
  for (const auto& curve : profile.curves) {
    const bool empty = std::all_of(curve.series.begin(), curve.series.end(),
                                   [](const Series& series) { return series.points.empty(); });
    if (!empty) body += "<figure>" + curve_svg(curve) + "</figure>\n";
  }
  return html::html_page(title, body + "</div>\n" + html::notes("Notes", profile.notes), "charm probe");
}

}  // namespace charm::probe
