#include "tools/evaluate/page.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/format.hpp"
#include "tools/evaluate/chart.hpp"
#include "tools/evaluate/judge.hpp"
#include "tools/html/html.hpp"

namespace charm::evaluate {
namespace {

using html::escaped;

constexpr std::array findings = {Finding::confirmed, Finding::smaller, Finding::not_confirmed, Finding::cannot_tell};

std::string badge(Finding finding) {
  const char* look = finding == Finding::confirmed ? " good" : finding == Finding::not_confirmed ? " bad" : "";
  return fmt::format("<span class=\"verdict{}\">{}</span>", look, words(finding));
}

std::string number_text(const std::optional<double>& value) { return value ? base::three_digits(*value) : "–"; }

std::string machine_line(const MachineFacts& machine) {
  const auto count = [](int n, const char* what) { return base::counted(static_cast<std::size_t>(n), what); };
  return fmt::format("{}, {}, {}, {}", count(machine.sockets, "socket"), count(machine.nodes, "NUMA node"),
                     count(machine.chiplets, "chiplet"), count(machine.cores, "core"));
}

std::string report_header(const Evaluation& evaluation) {
  std::map<Finding, int> counts;
  for (const Result& result : evaluation.results) ++counts[result.verdict.finding];
  std::string badges;
  for (const Finding finding : findings) {
    if (counts[finding] > 0)
      badges += fmt::format("<span class=\"verdict{}\">{} {}</span> ",
                            finding == Finding::confirmed       ? " good"
                            : finding == Finding::not_confirmed ? " bad"
                                                                : "",
                            counts[finding], words(finding));
  }
  std::string facts;
  for (const auto& [what, text] : evaluation.machine.others) facts += html::fact(what, text);
  return "<header>\n<h1>The papers' claims on this machine</h1>\n<p class=\"lead\">" +
         escaped(evaluation.machine.name) + ": " + escaped(machine_line(evaluation.machine)) + "</p>\n<p>" + badges +
         "</p>\n<dl class=\"facts\">\n" + html::fact("host", evaluation.machine.host) + facts +
         html::fact("extent", std::string(name(evaluation.extent))) + html::fact("began", evaluation.started) +
         html::fact("ended", evaluation.finished.empty() ? "not finished; --resume goes on" : evaluation.finished) +
         html::fact("charm", evaluation.version) + html::fact("predicted by", evaluation.predicted_by) +
         "</dl>\n</header>\n";
}

std::string verdict_table(const Evaluation& evaluation) {
  std::string out =
      "<h2>Verdicts</h2>\n<div class=\"scroll\"><table class=\"results\"><thead><tr><th>claim</th><th>published</th>"
      "<th>verdict</th><th>because</th></tr></thead>\n<tbody>\n";
  for (const Result& result : evaluation.results) {
    out += fmt::format("<tr><td><a href=\"#{0}\">{0}</a><br>{1}</td><td>{2}<br><span class=\"muted\">{3}</span></td>",
                       escaped(result.name), escaped(result.claim), escaped(result.published), escaped(result.paper));
    out += "<td>" + badge(result.verdict.finding) + "</td><td>" + escaped(result.verdict.why) + "</td></tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::vector<std::vector<const Point*>> by_unit(const std::vector<Point>& points) {
  std::vector<std::vector<const Point*>> groups;
  for (const Point& point : points) {
    const auto found = std::find_if(groups.begin(), groups.end(),
                                    [&](const auto& group) { return group.front()->unit == point.unit; });
    if (found == groups.end())
      groups.push_back({&point});
    else
      found->push_back(&point);
  }
  return groups;
}

std::string charts(const Result& result) {
  std::string out;
  for (const auto& group : by_unit(result.plan.points)) {
    std::vector<ChartRow> rows;
    for (const Point* point : group) {
      const bool bounded = point->expect != Expect::nothing;
      rows.push_back(
          {point_label(result, *point), point->measured, point->published, point->predicted,
           bounded ? std::optional<double>(point->expect == Expect::equal ? 1 : point->bound) : std::nullopt});
    }
    const std::string picture = forest_plot(result.title, rows, group.front()->unit);
    if (!picture.empty())
      out += "<figure>\n<p class=\"sub\">" +
             escaped(group.front()->unit.empty() ? result.plan.y : group.front()->unit) + "</p>\n" + picture +
             "</figure>\n";
  }
  return out;
}

std::string point_table(const Result& result) {
  std::vector<std::vector<std::string>> rows;
  for (const Point& point : result.plan.points) {
    rows.push_back({point_label(result, point), number_text(point.published), predicted_text(point),
                    measured_text(point), expected_text(point), std::string(words(point.outcome)), point.source});
  }
  return html::html_table({{"point"},
                           {"published", true},
                           {"predicted", true},
                           {"measured (95 %)", true},
                           {"claimed"},
                           {"outcome"},
                           {"place in the paper"}},
                          rows, "results");
}

std::string bullets(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += "<li>" + escaped(line) + "</li>\n";
  return out.empty() ? "" : "<ul class=\"notes\">\n" + out + "</ul>\n";
}

std::string section(const Result& result) {
  std::string out =
      fmt::format("<h2 id=\"{}\">{} <span class=\"muted\">{}, {}</span></h2>\n<p>{}</p>\n<p>{} {}</p>\n",
                  escaped(result.name), escaped(result.title), escaped(result.name), escaped(result.paper),
                  escaped(result.claim), badge(result.verdict.finding), escaped(result.verdict.why));
  if (result.plan.points.empty()) return out;
  out += charts(result) + point_table(result);
  std::vector<std::string> lines = result.plan.notes;
  lines.insert(lines.end(), result.problems.begin(), result.problems.end());
  for (const std::string& each : result.disturbances) lines.push_back("Meanwhile: " + each);
  if (result.seconds > 0) lines.push_back("It took " + base::format_seconds(result.seconds) + ".");
  return out + bullets(lines);
}

}  // namespace

std::string point_label(const Result& result, const Point& point) {
  if (result.plan.x.empty()) return point.series;
  return fmt::format("{}, {}", point.series, x_text(point, result.plan.x));
}

std::string report_page(const Evaluation& evaluation, const std::string& machine_svg) {
  std::string body =
      report_header(evaluation) + html::notes("Conditions", evaluation.conditions) + verdict_table(evaluation);
  if (!machine_svg.empty()) body += "<h2>Machine</h2>\n<figure class=\"machine\">\n" + machine_svg + "\n</figure>\n";
  for (const Result& result : evaluation.results) body += section(result);
  body +=
      "<h2>How to read it</h2>\n<p>Values without a unit are ratios: by how much the first of two things is better, "
      "with "
      "their 95 % interval, by the statistics of charm compare. Predictions were made by the simulator's model of this "
      "machine before anything ran. A claim is confirmed if all its points hold, and not confirmed if one is known not "
      "to hold or shows no difference where one was claimed.</p>\n";
  return html::html_page("CHARM: evaluation of " + evaluation.machine.name, body, evaluation.command);
}

std::vector<std::string> column_names(const std::vector<Evaluation>& evaluations) {
  std::vector<std::string> names;
  for (const Evaluation& each : evaluations) {
    const auto alike = std::count_if(evaluations.begin(), evaluations.end(),
                                     [&](const Evaluation& other) { return other.machine.name == each.machine.name; });
    std::string text = each.machine.name.empty() ? each.machine.host : each.machine.name;
    if (alike > 1) text += " (" + each.machine.host + ", " + each.started + ")";
    names.push_back(text);
  }
  return names;
}

std::vector<std::string> all_experiments(const std::vector<Evaluation>& evaluations) {
  std::vector<std::string> names;
  for (const Evaluation& each : evaluations) {
    for (const Result& result : each.results) {
      if (std::find(names.begin(), names.end(), result.name) == names.end()) names.push_back(result.name);
    }
  }
  return names;
}

const Result* result_named(const Evaluation& evaluation, const std::string& name) {
  const auto found = std::find_if(evaluation.results.begin(), evaluation.results.end(),
                                  [&](const Result& result) { return result.name == name; });
  return found == evaluation.results.end() ? nullptr : &*found;
}

std::string comparison_page(const std::vector<Evaluation>& evaluations, const std::string& command) {
  const auto columns = column_names(evaluations);
  std::string body = "<header>\n<h1>Evaluations side by side</h1>\n</header>\n<h2>Machines</h2>\n";
  std::vector<html::HtmlColumn> titles = {{""}};
  for (const std::string& column : columns) titles.push_back({column});
  std::vector<std::vector<std::string>> facts = {{"machine"}, {"extent"}, {"began"}, {"charm"}};
  for (const Evaluation& each : evaluations) {
    facts[0].push_back(machine_line(each.machine));
    facts[1].emplace_back(name(each.extent));
    facts[2].push_back(each.started);
    facts[3].push_back(each.version);
  }
  body += html::html_table(titles, facts, "results") + "<h2>Verdicts</h2>\n";
  body += "<div class=\"scroll\"><table class=\"results\"><thead><tr><th>claim</th>";
  for (const std::string& column : columns) body += "<th>" + escaped(column) + "</th>";
  body += "</tr></thead>\n<tbody>\n";
  std::string pictures;
  for (const std::string& experiment : all_experiments(evaluations)) {
    std::string claim, cells;
    std::map<std::string, std::size_t> order;
    std::vector<std::vector<ChartRow>> by_label;  // the machines' rows of a point stand together
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
      const Result* result = result_named(evaluations[i], experiment);
      if (result == nullptr) {
        cells += "<td>–</td>";
        continue;
      }
      claim = result->claim;
      cells += "<td>" + badge(result->verdict.finding) + "<br>" + escaped(result->verdict.why) + "</td>";
      for (const Point& point : result->plan.points) {
        if (!point.measured || !point.unit.empty()) continue;
        const std::string label = point_label(*result, point);
        const std::size_t at = order.try_emplace(label, order.size()).first->second;
        if (at == by_label.size()) by_label.emplace_back();
        by_label[at].push_back(
            {fmt::format("{}: {}", columns[i], label), point.measured, point.published, point.predicted, {}});
      }
    }
    body += "<tr><td>" + escaped(experiment) + "<br>" + escaped(claim) + "</td>" + cells + "</tr>\n";
    std::vector<ChartRow> chart;
    for (const auto& rows : by_label) chart.insert(chart.end(), rows.begin(), rows.end());
    if (const std::string picture = forest_plot(experiment, chart, ""); !picture.empty())
      pictures += "<figure>\n<h3>" + escaped(experiment) + "</h3>\n" + picture + "</figure>\n";
  }
  body += "</tbody></table></div>\n" + pictures;
  return html::html_page("CHARM: evaluations side by side", body, command);
}

}  // namespace charm::evaluate
