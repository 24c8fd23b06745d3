#include "tools/cli/evaluate/text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/format.hpp"
#include "tools/cli/text_table.hpp"
#include "tools/evaluate/judge.hpp"
#include "tools/evaluate/page.hpp"
#include "tools/evaluate/reproduction.hpp"

namespace charm::cli {
namespace {

using evaluate::Evaluation;
using evaluate::Finding;
using evaluate::Point;
using evaluate::Result;
using Align = Column::Align;

std::string styled(const std::string& text, const char* style, bool colour) {
  return colour && *style != '\0' ? fmt::format("\x1b[{}m{}\x1b[0m", style, text) : text;
}

const char* style_of(Finding finding) {
  return finding == Finding::confirmed ? "32" : finding == Finding::not_confirmed ? "31" : "33";
}

const char* style_of(evaluate::Outcome outcome) {
  switch (outcome) {
    case evaluate::Outcome::holds:
      return "32";
    case evaluate::Outcome::fails:
    case evaluate::Outcome::tie:
      return "31";
    case evaluate::Outcome::smaller:
    case evaluate::Outcome::unclear:
    case evaluate::Outcome::not_measured:
      return "33";
    case evaluate::Outcome::reported:
      break;
  }
  return "";
}

std::string number(const std::optional<double>& value) { return value ? base::three_digits(*value) : "–"; }

std::string head(const Evaluation& evaluation) {
  const auto& machine = evaluation.machine;
  const auto count = [](int n, const char* what) { return base::counted(static_cast<std::size_t>(n), what); };
  std::string out =
      fmt::format("{}\n{}, {}, {}, {}\n", machine.name, count(machine.sockets, "socket"),
                  count(machine.nodes, "NUMA node"), count(machine.chiplets, "chiplet"), count(machine.cores, "core"));
  for (const auto& [what, text] : machine.others) out += fmt::format("{}: {}\n", what, text);
  out += "predicted by: " + evaluation.predicted_by + "\n";
  for (const std::string& condition : evaluation.conditions) out += "note: " + condition + "\n";
  return out;
}

std::string measured_table(const Result& result, bool colour) {
  const std::vector<Column> columns = {{"  point", Align::left},    {"published", Align::right},
                                       {"predicted", Align::right}, {"measured (95 %)", Align::right},
                                       {"claimed", Align::left},    {"", Align::left}};
  std::vector<std::vector<Cell>> rows;
  for (const Point& point : result.plan.points) {
    rows.push_back({{"  " + evaluate::point_label(result, point), ""},
                    {number(point.published), ""},
                    {evaluate::predicted_text(point), ""},
                    {evaluate::measured_text(point), ""},
                    {evaluate::expected_text(point), ""},
                    {point.outcome == evaluate::Outcome::reported ? "" : std::string(evaluate::words(point.outcome)),
                     style_of(point.outcome)}});
  }
  return render_table(columns, rows, colour);
}

std::string bullet_lines(const Result& result) {
  std::string out;
  for (const std::string& each : result.problems) out += "  not measured: " + each + "\n";
  for (const std::string& each : result.disturbances) out += "  noise: " + each + "\n";
  return out;
}

}  // namespace

std::string evaluation_text(const Evaluation& evaluation, bool colour) {
  std::string out = head(evaluation);
  for (const Result& result : evaluation.results) {
    if (result.state != evaluate::State::measured) continue;
    out += fmt::format("\n{} ({}, {})\n{}{}", result.title, result.name, result.paper, measured_table(result, colour),
                       bullet_lines(result));
  }
  out += "\nVerdicts\n";
  evaluate::Tally tally;
  for (const Result& result : evaluation.results) {
    const bool open = result.state == evaluate::State::planned && result.verdict.why.empty();
    out += fmt::format(
        "\n{} ({}): {}\n  {}: {}\n", result.name, result.paper, result.claim,
        open ? "not run yet"
             : styled(std::string(evaluate::words(result.verdict.finding)), style_of(result.verdict.finding), colour),
        open ? "--resume goes on" : result.verdict.why);
    if (!open) tally.add(result.verdict.finding);
  }
  return out + "\n" + evaluate::text_of(tally) + "\n";
}

std::string side_by_side_text(const std::vector<Evaluation>& evaluations, bool colour) {
  const auto names = evaluate::column_names(evaluations);
  std::string out;
  std::vector<Column> columns = {{"", Align::left}};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto& machine = evaluations[i].machine;
    const auto count = [](int n, const char* what) { return base::counted(static_cast<std::size_t>(n), what); };
    out += fmt::format("{}  {}: {}, {}, {}; charm {} --{}, {}\n", i + 1, names[i], count(machine.cores, "core"),
                       count(machine.chiplets, "chiplet"), count(machine.nodes, "NUMA node"), evaluations[i].version,
                       evaluate::name(evaluations[i].extent), evaluations[i].started);
    columns.push_back({std::to_string(i + 1), Align::left});
  }
  std::vector<std::vector<Cell>> verdicts;
  for (const std::string& name : evaluate::all_experiments(evaluations)) {
    verdicts.push_back({{name, "1"}});
    std::vector<std::string> labels;
    for (const Evaluation& each : evaluations) {
      const Result* result = evaluate::result_named(each, name);
      verdicts.back().push_back(result == nullptr ? Cell{"–", ""}
                                                  : Cell{std::string(evaluate::words(result->verdict.finding)),
                                                         style_of(result->verdict.finding)});
      if (result == nullptr) continue;
      for (const Point& point : result->plan.points) {
        const std::string label = evaluate::point_label(*result, point);
        if (std::find(labels.begin(), labels.end(), label) == labels.end()) labels.push_back(label);
      }
    }
    for (const std::string& label : labels) {
      std::vector<Cell> row = {{"  " + label, ""}};
      bool any = false;
      for (const Evaluation& each : evaluations) {
        const Result* result = evaluate::result_named(each, name);
        std::string text = "–";
        for (const Point& point : result == nullptr ? std::vector<Point>{} : result->plan.points) {
          if (evaluate::point_label(*result, point) != label || !point.measured) continue;
          text = evaluate::measured_text(point);
          any = true;
        }
        row.push_back({text, ""});
      }
      if (any) verdicts.push_back(std::move(row));
    }
  }
  return out + "\n" + render_table(columns, verdicts, colour);
}

std::string experiment_list(const std::vector<Result>& planned, double limit_s, bool colour) {
  std::vector<std::vector<Cell>> rows;
  double all = 0;
  for (const Result& result : planned) {
    double seconds = 0;
    for (const auto& job : result.plan.jobs) seconds += job.seconds;
    const bool can = result.state != evaluate::State::unmet;
    all += seconds;
    rows.push_back({{result.name, "1"},
                    {result.paper, ""},
                    {can ? "about " + base::format_seconds(seconds) : "cannot be told here", can ? "" : "33"},
                    {can ? result.title : result.verdict.why, ""}});
  }
  std::string out = render_table({{"experiment"}, {"paper"}, {"time"}, {""}}, rows, colour);
  out += fmt::format("\nall of them: about {}",
                     all < 120 ? base::format_seconds(all) : fmt::format("{:.0f} minutes", all / 60));
  if (limit_s > 0 && all > limit_s) {
    out += fmt::format("; --quick begins with the shortest and measures for {:.0f} minutes, and --resume goes on",
                       limit_s / 60);
  }
  return out + "\n";
}

}  // namespace charm::cli
