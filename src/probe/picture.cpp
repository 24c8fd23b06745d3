#include "probe/picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <sstream>

#include "base/markup.hpp"

namespace charm::probe {
namespace {

using base::escaped;

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.2f", value);
  return text;
}

struct Range {
  double low = 0, high = 0;
  /// 0 to 1 on a logarithmic scale, since levels of a machine differ by factors.
  [[nodiscard]] double place(double value) const {
    return high > low ? std::clamp(std::log(value / low) / std::log(high / low), 0.0, 1.0) : 0;
  }
};

Range range_of(const LatencyMatrix& matrix) {
  Range range;
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

/// Dark blue over green to yellow: even steps of lightness, told apart without red and green.
std::array<int, 3> colour_of(double place) {
  static constexpr double stops[5][3] = {{68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}};
  const double at = place * 4;
  const auto low = static_cast<std::size_t>(std::min(3.0, at));
  std::array<int, 3> rgb{};
  for (std::size_t k = 0; k < 3; ++k)
    rgb[k] = static_cast<int>(stops[low][k] + (at - static_cast<double>(low)) * (stops[low + 1][k] - stops[low][k]));
  return rgb;
}

double median_of_block(const LatencyMatrix& matrix, int i0, int i1, int j0, int j1) {
  std::vector<double> values;
  for (int i = i0; i < i1; ++i) {
    for (int j = j0; j < j1; ++j) {
      if (matrix.measured(i, j)) values.push_back(matrix.at(i, j));
    }
  }
  return summarise(values).median;
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
    std::sort(numbers.begin(), numbers.end());
    for (std::size_t k = 0; k < numbers.size();) {
      std::size_t end = k;
      while (end + 1 < numbers.size() && numbers[end + 1] == numbers[end] + 1) ++end;
      line << (k > 0 ? "," : "") << numbers[k];
      if (end > k) line << '-' << numbers[end];
      k = end + 1;
    }
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

std::string size_text(double bytes) {
  static constexpr std::array<const char*, 5> units = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < units.size()) bytes /= 1024, ++unit;
  char text[32];
  std::snprintf(text, sizeof text, "%.4g %s", bytes, units[unit]);
  return text;
}

/// A series as one line of marks, by its values on a logarithmic scale over all series of the curve.
std::string spark(const Series& series, const Range& range, const TextStyle& style) {
  static constexpr const char* plain[] = {"_", ".", ":", "-", "=", "+", "*", "#", "@"};
  static constexpr const char* blocks[] = {"▁", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::string line;
  for (const Point& p : series.points) {
    const double place = p.y > 0 ? range.place(p.y) : 0;
    if (style.colour) {
      const auto rgb = colour_of(place);
      line += "\x1b[38;2;" + std::to_string(rgb[0]) + ';' + std::to_string(rgb[1]) + ';' + std::to_string(rgb[2]) + 'm';
    }
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
    std::snprintf(cell, sizeof cell, "  %12s", curve.x_unit == "B" ? size_text(x).c_str() : number(x).c_str());
    text << cell;
    for (const auto& series : curve.series) {
      const auto p = std::find_if(series.points.begin(), series.points.end(), [&](const Point& q) { return q.x == x; });
      std::snprintf(cell, sizeof cell, "  %14s", p == series.points.end() ? "-" : number(p->y).c_str());
      text << cell;
    }
    text << '\n';
  }
  Range range;
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
  const Range range = range_of(matrix);
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
      const double place = range.place(v);
      if (style.colour) {
        const auto rgb = colour_of(place);
        text << "\x1b[48;2;" << rgb[0] << ';' << rgb[1] << ';' << rgb[2] << "m  ";
      } else {
        text << (style.ascii ? plain : blocks)[static_cast<int>(place * 8)];
      }
    }
    text << (style.colour ? "\x1b[0m\n" : "\n");
  }
  text << ' ' << number(range.low) << ' ' << unit << ' ';
  for (int k = 0; k < 9; ++k) {
    if (style.colour) {
      const auto rgb = colour_of(k / 8.0);
      text << "\x1b[48;2;" << rgb[0] << ';' << rgb[1] << ';' << rgb[2] << "m  ";
    } else {
      text << (style.ascii ? plain : blocks)[k];
    }
  }
  text << (style.colour ? "\x1b[0m" : "") << ' ' << number(range.high) << ' ' << unit << '\n';
  return text.str();
}

std::string heatmap_svg(const LatencyMatrix& matrix, const std::vector<int>& cpus, const std::string& title,
                        const std::string& unit) {
  const int n = matrix.rows();
  const Range range = range_of(matrix);
  const int side = 512;
  const double cell = n > 0 ? static_cast<double>(side) / n : side;
  std::ostringstream svg;
  svg << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 600 590\" width=\"600\" height=\"590\" "
         "font-family=\"sans-serif\" "
         "font-size=\"12\" role=\"img\"><title>"
      << escaped(title) << "</title><text x=\"44\" y=\"20\" font-size=\"14\" fill=\"currentColor\">" << escaped(title)
      << "</text>"
      << "<g transform=\"translate(44,30)\" shape-rendering=\"crispEdges\">"
      << "<rect width=\"" << side << "\" height=\"" << side << "\" fill=\"#8884\"/>";
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      if (!matrix.measured(i, j)) continue;
      const auto rgb = colour_of(range.place(matrix.at(i, j)));
      char fill[16];
      std::snprintf(fill, sizeof fill, "#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
      svg << "<rect x=\"" << j * cell << "\" y=\"" << i * cell << "\" width=\"" << cell << "\" height=\"" << cell
          << "\" fill=\"" << fill << "\">";
      // A tooltip a cell is a great help on a small machine and megabytes on a large one.
      if (n <= 64) {
        svg << "<title>cpu " << cpus[static_cast<std::size_t>(i)] << " and " << cpus[static_cast<std::size_t>(j)]
            << ": " << number(matrix.at(i, j)) << ' ' << escaped(unit) << "</title>";
      }
      svg << "</rect>";
      if (n <= 8) {
        svg << "<text x=\"" << (j + 0.5) * cell << "\" y=\"" << (i + 0.5) * cell + 4
            << "\" text-anchor=\"middle\" fill=\"" << (range.place(matrix.at(i, j)) > 0.6 ? "#000" : "#fff") << "\">"
            << number(matrix.at(i, j)) << "</text>";
      }
    }
  }
  svg << "</g><g fill=\"currentColor\">";
  const int step = std::max(1, n / 8);
  for (int i = 0; i < n; i += step) {
    svg << "<text x=\"38\" y=\"" << 30 + (i + 0.5) * cell + 4 << "\" text-anchor=\"end\">"
        << cpus[static_cast<std::size_t>(i)] << "</text>";
  }
  svg << "<text x=\"44\" y=\"575\">" << number(range.low) << "</text><text x=\"556\" y=\"575\" text-anchor=\"end\">"
      << number(range.high) << ' ' << escaped(unit) << "</text></g>";
  for (int k = 0; k < 64; ++k) {
    const auto rgb = colour_of(k / 63.0);
    char fill[16];
    std::snprintf(fill, sizeof fill, "#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
    svg << "<rect x=\"" << 44 + k * 8 << "\" y=\"550\" width=\"8.2\" height=\"10\" fill=\"" << fill << "\"/>";
  }
  svg << "</svg>\n";
  return svg.str();
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
    return high > low ? std::log(v / low) / std::log(high / low) : 0.5;
  };
  const auto px = [&](double x) { return 70 + 470 * spread(x, x_low, x_high); };
  const auto py = [&](double y) { return 260 - 210 * spread(y, y_low, y_high); };
  static constexpr const char* colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"};
  std::ostringstream svg;
  svg << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 600 " << 310 + 18 * curve.series.size()
      << "\" width=\"600\" font-family=\"sans-serif\" font-size=\"12\" role=\"img\"><title>" << escaped(curve.name)
      << "</title><g fill=\"currentColor\"><text x=\"70\" y=\"22\" font-size=\"14\">" << escaped(curve.name)
      << "</text><text x=\"70\" y=\"40\">" << escaped(curve.y) << ", " << escaped(curve.y_unit) << "</text>";
  if (y_high > 0) {
    for (const double y : {y_low, std::sqrt(y_low * y_high), y_high}) {
      svg << "<text x=\"64\" y=\"" << py(y) + 4 << "\" text-anchor=\"end\">" << number(y)
          << "</text><line x1=\"70\" x2=\"540\" y1=\"" << py(y) << "\" y2=\"" << py(y)
          << "\" stroke=\"currentColor\" stroke-opacity=\".2\"/>";
    }
    for (const double x : {x_low, std::sqrt(x_low * x_high), x_high}) {
      svg << "<text x=\"" << px(x) << "\" y=\"280\" text-anchor=\"middle\">"
          << (curve.x_unit == "B" ? size_text(x) : number(x)) << "</text>";
    }
  }
  svg << "<text x=\"305\" y=\"298\" text-anchor=\"middle\">" << escaped(curve.x) << "</text></g>";
  for (std::size_t s = 0; s < curve.series.size(); ++s) {
    const char* colour = colours[s % 6];
    svg << "<polyline fill=\"none\" stroke=\"" << colour << "\" stroke-width=\"2\" points=\"";
    for (const auto& p : curve.series[s].points) {
      if (p.x > 0 && p.y > 0) svg << px(p.x) << ',' << py(p.y) << ' ';
    }
    svg << "\"/>";
    for (const auto& p : curve.series[s].points) {
      if (p.x <= 0 || p.y <= 0) continue;
      svg << "<circle cx=\"" << px(p.x) << "\" cy=\"" << py(p.y) << "\" r=\"3\" fill=\"" << colour << "\"><title>"
          << (curve.x_unit == "B" ? size_text(p.x) : number(p.x)) << ": " << number(p.y) << ' ' << escaped(curve.y_unit)
          << "</title></circle>";
    }
    svg << "<text x=\"84\" y=\"" << 322 + 18 * s << "\" fill=\"currentColor\">" << escaped(curve.series[s].label)
        << "</text><rect x=\"70\" y=\"" << 313 + 18 * s << "\" width=\"10\" height=\"10\" fill=\"" << colour << "\"/>";
  }
  svg << "</svg>\n";
  return svg.str();
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
  return text.str();
}

std::string profile_html(const Profile& profile) {
  std::ostringstream html;
  const std::string title = "Measured: " + (profile.key.name.empty() ? std::string("this machine") : profile.key.name);
  html << "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
          "content=\"width=device-width\"><title>"
       << escaped(title)
       << "</title><style>:root{color-scheme:light dark}body{font:15px/1.5 sans-serif;max-width:1280px;margin:2em "
          "auto;padding:0 1em}"
          "section{display:flex;flex-wrap:wrap;gap:1.5em}svg{max-width:100%;height:auto}pre{overflow-x:auto}.partial{"
          "color:#c30;font-weight:bold}</style></head><body><h1>"
       << escaped(title) << "</h1><p>" << profile.cpus.size() << " cpus, " << escaped(profile.date)
       << (profile.sampled ? ", sampled" : "")
       << (profile.partial ? " <span class=\"partial\">partial: interrupted before its end</span>" : "")
       << "</p><h2>Seen in the latencies alone</h2><pre>" << escaped(levels_text(profile.seen, profile.cpus))
       << "</pre><h2>Between cpus</h2><section>" << heatmap_svg(profile.latency, profile.cpus, "Latency", "ns")
       << heatmap_svg(profile.bandwidth, profile.cpus, "Bandwidth", "GB/s") << "</section><h2>Memory</h2><section>";
  for (const auto& curve : profile.curves) html << curve_svg(curve);
  html << "</section><h2>Notes</h2><ul>";
  for (const auto& note : profile.notes) html << "<li>" << escaped(note) << "</li>";
  html << "</ul></body></html>\n";
  return html.str();
}

}  // namespace charm::probe
