#include "tools/cli/compare/export.hpp"

#include <vector>

#include <fmt/format.h>

#include "base/format.hpp"
#include "tools/base/quantile.hpp"
#include "tools/cli/compare/command_line.hpp"
#include "tools/cli/compare/text.hpp"

namespace charm::cli {
namespace {

using compare::Outcome;
using compare::Series;
using Row = std::vector<std::string>;

std::string csv_line(const Row& row) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::string& cell = row[i];
    const bool quoted = cell.find_first_of(",\"\r\n") != std::string::npos;
    line += i > 0 ? "," : "";
    if (!quoted) {
      line += cell;
      continue;
    }
    line += '"';
    for (const char c : cell) line += c == '"' ? std::string("\"\"") : std::string(1, c);
    line += '"';
  }
  return line + "\n";
}

std::string number(double value) { return fmt::format("{:.9g}", value); }

template <class Figure>
double mean_of(const Series& series, Figure figure) {
  double sum = 0;
  for (const auto& run : series.runs) sum += figure(run.child);
  return series.runs.empty() ? 0 : sum / static_cast<double>(series.runs.size());
}

/// A cell's text must not end the cell or the line, nor begin markup.
std::string markdown_cell(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '\\' || c == '`' || c == '*' || c == '_' || c == '<' || c == '[') out += '\\';
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out;
}

std::string markdown_line(const Row& row) {
  std::string line = "|";
  for (const auto& cell : row) line += " " + cell + " |";
  return line + "\n";
}

/// Code whatever it has in it (CommonMark 6.1).
std::string markdown_code(const std::string& text) {
  std::string fence = "`";
  while (text.find(fence) != std::string::npos) fence += '`';
  const std::string blank = fence.size() > 1 ? " " : "";
  return fence + blank + text + blank + fence;
}

bool outputs_compared(const Outcome& outcome) { return compare::agreement(outcome, 0) != compare::Agreement::unknown; }

}  // namespace

const char* word(compare::Agreement agreement) {
  switch (agreement) {
    case compare::Agreement::same:
      return "same";
    case compare::Agreement::differs:
      return "differs";
    case compare::Agreement::varies:
      return "varies";
    case compare::Agreement::unknown:
      break;
  }
  return "";
}

std::string comparison_csv(const Outcome& outcome) {
  Row header = {"command", "mean", "stddev", "median", "user", "system", "min", "max"};
  for (const auto& [name, value] : outcome.series.front().program.parameters) header.push_back("parameter_" + name);
  for (const char* name : {"name", "runs", "peak_rss_bytes", "wall_ratio", "low95", "high95", "finding", "output"})
    header.emplace_back(name);
  std::string text = csv_line(header);
  for (std::size_t p = 0; p < outcome.series.size(); ++p) {
    const Series& series = outcome.series[p];
    const auto wall = series.wall();
    const auto spread = compare::spread_of(wall);
    Row row = {as_shell_words(series.program.words),
               number(spread.mean),
               number(spread.sigma),
               number(base::median(wall)),
               number(mean_of(series, [](const auto& child) { return child.user_s; })),
               number(mean_of(series, [](const auto& child) { return child.system_s; })),
               number(spread.least),
               number(spread.most)};
    for (const auto& [name, value] : series.program.parameters) row.push_back(value);
    row.push_back(series.program.name);
    row.push_back(std::to_string(series.runs.size()));
    row.push_back(number(base::median(series.peak())));
    const auto* comparison = p > 0 ? &outcome.comparisons[p - 1] : nullptr;
    const auto ratio = comparison != nullptr ? comparison->wall : std::nullopt;
    row.push_back(ratio ? number(ratio->value) : "");
    row.push_back(ratio ? number(ratio->at95.low) : "");
    row.push_back(ratio ? number(ratio->at95.high) : "");
    row.emplace_back(comparison != nullptr ? compare::word(comparison->verdict.finding) : "");
    row.emplace_back(word(compare::agreement(outcome, p)));
    text += csv_line(row);
  }
  return text;
}

std::string runs_csv(const Outcome& outcome) {
  std::string text = csv_line(
      {"run", "round", "place", "name", "started_s", "wall_s", "user_s", "system_s", "peak_rss_bytes", "exit_code"});
  std::size_t run = 0;
  for (std::size_t round = 0; round < outcome.order.size(); ++round) {
    for (std::size_t place = 0; place < outcome.order[round].size(); ++place) {
      const Series& series = outcome.series[outcome.order[round][place]];
      if (round >= series.runs.size()) continue;
      const auto& [child, counts, started] = series.runs[round];
      text += csv_line({std::to_string(++run), std::to_string(round + 1), std::to_string(place + 1),
                        series.program.name, number(started), number(child.wall_s), number(child.user_s),
                        number(child.system_s), std::to_string(child.peak_bytes),
                        std::to_string(child.signal != 0 ? 128 + child.signal : child.exit_code)});
    }
  }
  return text;
}

std::string comparison_markdown(const Outcome& outcome) {
  const bool outputs = outputs_compared(outcome);
  Row header = {"",     "command", "median",      "mean ± σ",   "min … max",
                "user", "system",  "peak memory", "wall ratio", "95 %"};
  Row align = {":--", ":--", "--:", "--:", "--:", "--:", "--:", "--:", "--:", "--:"};
  if (outputs) {
    header.emplace_back("output");
    align.emplace_back(":--");
  }
  std::string text = markdown_line(header) + markdown_line(align);
  for (std::size_t p = 0; p < outcome.series.size(); ++p) {
    const Series& series = outcome.series[p];
    const auto wall = series.wall();
    const auto spread = compare::spread_of(wall);
    const auto ratio = p > 0 ? outcome.comparisons[p - 1].wall : std::nullopt;
    std::string code = markdown_code(shown_command(series.program, 100));
    for (std::size_t at = 0; (at = code.find('|', at)) != std::string::npos; at += 2) code.insert(at, 1, '\\');
    Row row = {markdown_cell(series.program.name),
               code,
               base::format_seconds(base::median(wall)),
               base::format_seconds(spread.mean) + " ± " + base::format_seconds(spread.sigma),
               base::format_seconds(spread.least) + " … " + base::format_seconds(spread.most),
               base::format_seconds(mean_of(series, [](const auto& child) { return child.user_s; })),
               base::format_seconds(mean_of(series, [](const auto& child) { return child.system_s; })),
               peak_text(series),
               ratio ? ratio_text(ratio->value) : "",
               ratio ? interval_text(ratio->at95) : ""};
    if (outputs) row.emplace_back(word(compare::agreement(outcome, p)));
    text += markdown_line(row);
  }
  text += "\n";
  for (const auto& line : verdict_lines(outcome)) text += "- " + markdown_cell(line) + "\n";
  for (const auto& line : outcome.disturbances) text += "- noise: " + markdown_cell(line) + "\n";
  return text + "- " + runs_text(outcome) + "\n";
}

}  // namespace charm::cli
