#include "tools/cli/compare/text.hpp"

#include <algorithm>
#include <cstring>
#include <system_error>

#include <fmt/format.h>

#include "base/format.hpp"
#include "tools/base/quantile.hpp"
#include "tools/cli/compare/command_line.hpp"
#include "tools/cli/compare/export.hpp"
#include "tools/cli/text_table.hpp"

namespace charm::cli {
namespace {

using compare::Outcome;
using compare::Series;
using Align = Column::Align;

template <class Figure>
double median_of(const Series& series, Figure figure) {
  std::vector<double> values;
  for (const auto& run : series.runs) values.push_back(figure(run.child));
  return base::median(std::move(values));
}

std::string times_table(const Outcome& outcome, bool colour) {
  const bool outputs = compare::agreement(outcome, 0) != compare::Agreement::unknown;
  std::vector<std::vector<Cell>> rows;
  for (std::size_t i = 0; i < outcome.series.size(); ++i) {
    const Series& series = outcome.series[i];
    const auto times = compare::spread_of(series.wall());
    std::vector<Cell> row = {
        {series.program.name, "1"},
        {base::format_seconds(base::median(series.wall())), ""},
        {base::format_seconds(times.sigma), ""},
        {base::format_seconds(times.least), ""},
        {base::format_seconds(times.most), ""},
        {base::format_percent(spread(series.wall())), ""},
        {base::format_seconds(median_of(series, [](const auto& child) { return child.user_s; })), ""},
        {base::format_seconds(median_of(series, [](const auto& child) { return child.system_s; })), ""},
        {peak_text(series), ""}};
    const auto ratio = i > 0 ? outcome.comparisons[i - 1].wall : std::nullopt;
    row.push_back({ratio ? ratio_text(ratio->value) : "", ""});
    row.push_back({ratio ? interval_text(ratio->at95) : "", ""});
    if (outputs) {
      const auto agreement = compare::agreement(outcome, i);
      const bool expected = i == 0 && agreement == compare::Agreement::same;
      row.push_back({expected ? "" : word(agreement), agreement == compare::Agreement::differs ? "1;31" : ""});
    }
    rows.push_back(std::move(row));
  }
  std::vector<Column> columns = {{"", Align::left}};
  for (const char* title : {"wall", "σ", "min", "max", "spread", "user", "system", "peak memory", "wall ratio", "95 %"})
    columns.push_back({title, Align::right});
  if (outputs) columns.push_back({"output", Align::left});
  return render_table(columns, rows, colour);
}

/// A counter that is 0 in all runs gets no row.
bool is_worth_a_row(const Outcome& outcome, std::size_t counter) {
  return std::any_of(outcome.series.begin(), outcome.series.end(),
                     [&](const Series& series) { return base::median(series.count(counter)) > 0; });
}

std::string counters_table(const Outcome& outcome, bool colour) {
  std::vector<Column> columns = {{"", Align::left}};
  for (const Series& series : outcome.series) columns.push_back({series.program.name, Align::right});
  for (std::size_t i = 1; i < outcome.series.size(); ++i) {
    columns.push_back({outcome.series[i].program.name + "/" + outcome.series.front().program.name, Align::right});
    columns.push_back({"95 %", Align::right});
  }
  std::vector<std::vector<Cell>> rows;
  for (std::size_t counter = 0; counter < outcome.counters.size(); ++counter) {
    if (!is_worth_a_row(outcome, counter)) continue;
    std::vector<Cell> row = {{outcome.counters[counter], "1"}};
    for (const Series& series : outcome.series) {
      const auto counts = series.count(counter);
      row.push_back({counts.empty() ? "–" : fmt::format("{:.3g}", base::median(counts)), ""});
    }
    for (const auto& comparison : outcome.comparisons) {
      const auto ratio = counter < comparison.counts.size() ? comparison.counts[counter] : std::nullopt;
      row.push_back({ratio ? ratio_text(ratio->value) : "–", ""});
      row.push_back({ratio ? interval_text(ratio->at95) : "–", ""});
    }
    rows.push_back(std::move(row));
  }
  return rows.empty() ? std::string() : render_table(columns, rows, colour) + "\n";
}

std::string style_of(compare::Finding finding) {
  switch (finding) {
    case compare::Finding::first_wins:
      return "1;31";
    case compare::Finding::second_wins:
      return "1;32";
    case compare::Finding::unknown:
      return "1;33";
    case compare::Finding::same:
      break;
  }
  return "1";
}

}  // namespace

double spread(const std::vector<double>& values) {
  const double middle = base::median(values);
  const auto box = compare::quartiles(values);
  return middle > 0 ? (box.high - box.low) / middle : 0;
}

std::string ratio_text(double ratio) {
  if (ratio >= 10000) return "> 9999";  // an end of an interval that says nothing
  return fmt::format("{:.{}f}", ratio, ratio < 10 ? 3 : 1);
}

std::string interval_text(const compare::Interval& interval) {
  return ratio_text(interval.low) + "–" + ratio_text(interval.high);
}

std::string peak_text(const Series& series) {
  const auto bytes = static_cast<std::uint64_t>(base::median(series.peak()));
  return (series.peak_is_bound() ? "≤ " : "") + base::format_bytes(bytes);
}

std::string comparison_text(const Outcome& outcome, bool colour) {
  std::size_t widest = 0;
  for (const Series& series : outcome.series) widest = std::max(widest, base::display_width(series.program.name));
  std::string text;
  for (const Series& series : outcome.series) {
    text += series.program.name + std::string(widest - base::display_width(series.program.name) + 2, ' ') +
            shown_command(series.program, 100) + "\n";
  }
  text += "\n" + times_table(outcome, colour) + "\n";
  text += counters_table(outcome, colour);
  const auto verdicts = verdict_lines(outcome);
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    const auto finding = outcome.comparisons[i].verdict.finding;
    text += (colour ? "\x1b[" + style_of(finding) + "m" + verdicts[i] + "\x1b[0m" : verdicts[i]) + "\n";
  }
  for (std::size_t i = 0; i < outcome.series.size(); ++i) {
    if (compare::agreement(outcome, i) == compare::Agreement::varies) {
      text += "the output of some program varies from run to run, so that outputs cannot be compared\n";
      break;
    }
  }
  if (verdicts.size() > 1) {
    text += fmt::format(
        "{} comparisons with {}, corrected so that all of them together claim a wrong difference in at most "
        "1 of 100 cases\n",
        verdicts.size(), outcome.series.front().program.name);
  }
  for (const auto& line : outcome.disturbances) text += "noise: " + line + "\n";
  if (!outcome.metric.empty()) text += "times are those that the programs print: '" + outcome.metric + "'\n";
  if (!outcome.why_no_counters.empty()) text += "no hardware counters: " + outcome.why_no_counters + "\n";
  for (const std::string& line : failure_lines(outcome)) text += line + "\n";
  return text + runs_text(outcome) + "\n";
}

std::vector<std::string> failure_lines(const Outcome& outcome) {
  std::vector<std::string> lines;
  for (const Series& series : outcome.series) {
    if (const std::string failures = series.failures(); !failures.empty())
      lines.push_back(series.program.name + ": " + failures);
  }
  return lines;
}

std::vector<std::string> verdict_lines(const Outcome& outcome) {
  std::vector<std::string> lines;
  const std::string& first = outcome.series.front().program.name;
  for (const auto& comparison : outcome.comparisons) {
    const std::string& second = outcome.series[comparison.second].program.name;
    std::string line = compare::sentence(outcome, comparison);
    const bool ambiguous = outcome.comparisons.size() > 1 && comparison.verdict.finding == compare::Finding::same;
    if (ambiguous) line = first + " and " + second + ": " + line;
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string runs_text(const Outcome& outcome) {
  return fmt::format("{} runs of each in random order, after {} to warm up; --seed {}", outcome.rounds,
                     outcome.warm_ups, outcome.seed);
}

std::string failed_text(const Outcome& outcome) {
  if (!outcome.failed) return "";
  const auto& failed = *outcome.failed;
  const auto& program = outcome.series[failed.program].program;
  const bool is_command = !failed.command.empty();
  const std::string what =
      program.name + " (" +
      (is_command ? shown_command({program.name, failed.command}, 100) : shown_command(program, 100)) + ")";
  if (failed.child.start_error != 0) {
    return fmt::format("{} cannot be started: {}; check the name and that it may be executed\n", what,
                       std::generic_category().message(failed.child.start_error));
  }
  const bool once = is_command && failed.command.front() != "--prepare";
  const std::string when = once ? std::string()
                           : failed.warm_up
                               ? fmt::format(" in warm-up run {} of {}", failed.round + 1, outcome.warm_ups)
                               : fmt::format(" in run {} of {}", failed.round + 1, outcome.rounds);
  const std::string how = failed.child.signal != 0 ? fmt::format("was ended by signal {} ({})", failed.child.signal,
                                                                 strsignal(failed.child.signal))
                                                   : fmt::format("ended with exit code {}", failed.child.exit_code);
  std::string text = fmt::format("{} {}{}; {}\n", what, how, when,
                                 is_command ? "mend it, or write '|| true' after it if that does not matter"
                                            : "mend it, or measure it all the same with --ignore-failure");
  std::string tail = failed.child.error_tail;
  while (!tail.empty() && (tail.back() == '\n' || tail.back() == '\r')) tail.pop_back();
  if (tail.empty()) return text;
  text += "its stderr ended with:\n  ";
  for (const char c : tail) {
    if (c == '\n') {
      text += "\n  ";
    } else if (c == '\t' || static_cast<unsigned char>(c) >= 0x20) {
      text += c;
    }
  }
  return text + "\n";
}

}  // namespace charm::cli
