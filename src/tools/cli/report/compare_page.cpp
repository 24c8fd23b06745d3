#include "tools/cli/report/compare_page.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/format.hpp"
#include "tools/base/quantile.hpp"
#include "tools/cli/compare/command_line.hpp"
#include "tools/cli/compare/text.hpp"
#include "tools/cli/report/dots.hpp"
#include "tools/html/html.hpp"

namespace charm::cli {
namespace {

using compare::Outcome;

std::string header(const Host& host, const Outcome& outcome) {
  const std::string& first = outcome.series.front().program.name;
  std::string out = "<header>\n<h1>";
  for (const auto& series : outcome.series) {
    out += (&series == &outcome.series.front() ? "" : " against ") + html::escaped(series.program.name);
  }
  out += "</h1>\n";
  for (const auto& series : outcome.series) {
    out += "<p class=\"lead\">" + html::escaped(series.program.name) + ": <code>" +
           html::escaped(as_shell_words(series.program.words)) + "</code></p>\n";
  }
  for (const auto& comparison : outcome.comparisons) {
    const std::string& second = outcome.series[comparison.second].program.name;
    const bool decided = comparison.verdict.finding != compare::Finding::unknown;
    out += fmt::format("<p><span class=\"verdict {}\">{}{}</span></p>\n", decided ? "good" : "bad",
                       outcome.comparisons.size() > 1 ? html::escaped(first + " and " + second + ": ") : "",
                       html::escaped(compare::sentence(outcome, comparison)));
  }
  return out + "<dl class=\"facts\">\n" + html::fact("Machine", host.machine) + html::fact("Host", host.name) +
         html::fact("May use",
                    fmt::format("{} cpu{}, {} core{}, {} chiplet{}", host.cpus, host.cpus == 1 ? "" : "s", host.cores,
                                host.cores == 1 ? "" : "s", host.chiplets, host.chiplets == 1 ? "" : "s")) +
         html::fact("System", host.kernel) + html::fact("Placed by the system", host.placed_by) +
         html::fact("Date", host.date) +
         html::fact("Runs", fmt::format("{} of each in random order, after {} to warm up; seed {}", outcome.rounds,
                                        outcome.warm_ups, outcome.seed)) +
         "</dl>\n</header>\n";
}

std::string pictures(const Outcome& outcome) {
  std::vector<DotSeries> times;
  for (const auto& series : outcome.series) times.push_back({series.program.name, {}});
  std::vector<std::size_t> next(outcome.series.size(), 0);
  double position = 0;
  for (const auto& round : outcome.order) {
    for (const std::size_t program : round) {
      const auto& runs = outcome.series[program].runs;
      if (next[program] < runs.size()) {
        times[program].points.emplace_back(position, runs[next[program]++].child.wall_s);
      }
      ++position;
    }
  }
  std::string out =
      "<h2>Runs</h2>\n<div class=\"panels\">\n<figure>\n<h3>Wall time</h3>\n<p class=\"sub\">Each run, in the order of "
      "time. Seconds; the axis does not begin at 0.</p>\n" +
      dots("Wall time of each run", times, {}) + "</figure>\n";
  std::vector<DotSeries> ratios;
  std::vector<Band> bands;
  for (const auto& comparison : outcome.comparisons) {
    const auto first = outcome.series.front().wall();
    const auto second = outcome.series[comparison.second].wall();
    DotSeries series{outcome.series[comparison.second].program.name + " / " + outcome.series.front().program.name, {}};
    for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i) {
      if (first[i] > 0) series.points.emplace_back(static_cast<double>(i + 1), second[i] / first[i]);
    }
    ratios.push_back(std::move(series));
    if (comparison.wall) {
      bands.push_back({comparison.wall->value, comparison.wall->at95.low, comparison.wall->at95.high});
    } else {
      bands.push_back({});
    }
  }
  return out +
         "<figure>\n<h3>Ratio of each pair</h3>\n<p class=\"sub\">A dot a round. The line is the estimate, the band "
         "its 95 % interval; 1 is equal.</p>\n" +
         dots("Ratio of each pair", ratios, bands, 1.0) + "</figure>\n</div>\n";
}

std::string figures(const Outcome& outcome) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < outcome.series.size(); ++i) {
    const auto& series = outcome.series[i];
    const auto wall = series.wall();
    const auto [least, most] = std::minmax_element(wall.begin(), wall.end());
    std::vector<std::string> row = {series.program.name,
                                    base::format_seconds(base::median(wall)),
                                    wall.empty() ? "" : base::format_seconds(*least),
                                    wall.empty() ? "" : base::format_seconds(*most),
                                    base::format_percent(spread(wall)),
                                    base::format_seconds(base::median(series.cpu())),
                                    peak_text(series)};
    for (const bool is_wall : {true, false}) {
      const auto& ratio = i == 0    ? std::optional<compare::Ratio>()
                          : is_wall ? outcome.comparisons[i - 1].wall
                                    : outcome.comparisons[i - 1].cpu;
      row.push_back(ratio ? ratio_text(ratio->value) + " (" + interval_text(ratio->at95) + ")" : "");
    }
    rows.push_back(std::move(row));
  }
  std::string out = "<h2>Figures</h2>\n" +
                    html::html_table({{"program"},
                                      {"wall, median", true},
                                      {"min", true},
                                      {"max", true},
                                      {"spread", true},
                                      {"cpu time", true},
                                      {"peak memory", true},
                                      {"wall ratio (95 %)", true},
                                      {"cpu ratio (95 %)", true}},
                                     rows, "results") +
                    "<p class=\"muted\">Spread is the distance between the quartiles, as a part of the median."
                    "</p>\n";
  if (outcome.counters.empty()) return out;
  std::vector<html::HtmlColumn> columns = {{"counter"}};
  for (const auto& series : outcome.series) columns.push_back({series.program.name, true});
  for (std::size_t i = 1; i < outcome.series.size(); ++i) {
    columns.push_back({outcome.series[i].program.name + "/" + outcome.series.front().program.name + " (95 %)", true});
  }
  std::vector<std::vector<std::string>> counts;
  for (std::size_t counter = 0; counter < outcome.counters.size(); ++counter) {
    std::vector<std::string> row = {outcome.counters[counter]};
    for (const auto& series : outcome.series) {
      const auto values = series.count(counter);
      row.push_back(values.empty() ? "–" : fmt::format("{:.3g}", base::median(values)));
    }
    for (const auto& comparison : outcome.comparisons) {
      const auto ratio = counter < comparison.counts.size() ? comparison.counts[counter] : std::nullopt;
      row.push_back(ratio ? ratio_text(ratio->value) + " (" + interval_text(ratio->at95) + ")" : "–");
    }
    counts.push_back(std::move(row));
  }
  return out + html::html_table(columns, counts, "results");
}

std::string notes(const Outcome& outcome) {
  std::vector<std::string> lines = outcome.disturbances;
  if (lines.empty()) lines.emplace_back("Nothing was seen to disturb the runs.");
  if (!outcome.metric.empty()) lines.push_back("Times are those that the programs print: " + outcome.metric);
  if (!outcome.why_no_counters.empty()) lines.push_back("No hardware counters: " + outcome.why_no_counters);
  for (const std::string& line : failure_lines(outcome)) lines.push_back(line + ".");
  lines.push_back(fmt::format("Differences below {} % do not count (--threshold).",
                              compare::percent_digits(outcome.rules.threshold)));
  return html::notes("Noise and notes", lines);
}

}  // namespace

std::string comparison_page(const Host& host, const Outcome& outcome, const std::string& command) {
  std::string title = "Comparison";
  for (const auto& series : outcome.series) {
    title += (&series == &outcome.series.front() ? " of " : " and ") + shown_command(series.program, 40);
  }
  return html::html_page(title, header(host, outcome) + pictures(outcome) + figures(outcome) + notes(outcome), command);
}

}  // namespace charm::cli
