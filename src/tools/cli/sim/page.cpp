// The page of `charm sim`: for each machine and workload throughput by workers as curves, where accesses were served
// from, and the moves over time.
#include <algorithm>

#include <fmt/format.h>

#include "base/format.hpp"
#include "tools/cli/report/curves.hpp"
#include "tools/cli/sim/output.hpp"
#include "tools/html/html.hpp"

namespace charm::cli {
namespace {

using Group = std::vector<const sim::RunResult*>;

std::vector<Group> by_machine_and_workload(const std::vector<sim::RunResult>& results) {
  std::vector<Group> groups;
  for (const auto& r : results) {
    const auto at = std::find_if(groups.begin(), groups.end(), [&](const Group& g) {
      return g.front()->machine == r.machine && g.front()->workload == r.workload;
    });
    if (at == groups.end()) {
      groups.push_back({&r});
    } else {
      at->push_back(&r);
    }
  }
  return groups;
}

std::string throughput_curves(const Group& group) {
  std::vector<CurveSeries> series;
  for (const auto* r : group) {
    auto at = std::find_if(series.begin(), series.end(), [&](const CurveSeries& s) { return s.name == r->policy; });
    if (at == series.end()) at = series.insert(series.end(), {r->policy, {}});
    at->points.emplace_back(r->workers, r->throughput / 1e6);
  }
  return "<figure>\n<h3>Throughput by workers</h3>\n<p class=\"sub\">million " + html::escaped(group.front()->unit) +
         " per second</p>\n" + curves("Throughput by workers", series) + "</figure>\n";
}

std::string moves(const Group& group) {
  std::string out;
  for (const auto* r : group) {
    if (r->moves.empty()) continue;
    CurveSeries series{"chiplets", {}};
    for (const auto& [time, chiplets] : r->stands) series.points.emplace_back(std::max(0.0, time), chiplets);
    std::vector<std::vector<std::string>> rows;
    for (const auto& m : r->moves) {
      rows.push_back(
          {fmt::format("{:.2f}", m.time), std::to_string(m.from), std::to_string(m.to), m.reason, m.outcome});
    }
    series.points.emplace_back(r->seconds, series.points.back().second);
    out += fmt::format("<figure>\n<h3>Moves of {}, {} workers</h3>\n<p class=\"sub\">chiplets over seconds</p>\n",
                       html::escaped(r->policy), r->workers) +
           curves("Moves", {series}, true) + "<details><summary>why</summary>" +
           html::html_table({{"s", true}, {"from", true}, {"to", true}, {"reason"}, {"outcome"}}, rows) +
           "</details></figure>\n";
  }
  return out;
}

std::string table(const Group& group) {
  std::vector<html::HtmlColumn> columns = {{"policy"}, {"workers", true}, {"throughput", true}, {"moves", true}};
  for (std::size_t s = 0; s < sim::sources; ++s) columns.push_back({sim::source_name(s), true});
  std::vector<std::vector<std::string>> rows;
  for (const auto* r : group) {
    double all = 0;
    for (const double f : r->fills) all += f;
    rows.push_back({r->policy, std::to_string(r->workers), in_thousands(r->throughput) + " " + r->unit + "/s",
                    std::to_string(r->moves.size())});
    for (const double f : r->fills) rows.back().push_back(all > 0 ? fmt::format("{:.1f} %", 100 * f / all) : "–");
  }
  return html::html_table(columns, rows, "results");
}

}  // namespace

std::string sim_page(const std::vector<sim::RunResult>& results, const std::string& command) {
  std::string out =
      "<header><h1>CHARM: simulated machines</h1>\n<p class=\"lead\">Computed by a model, not measured. "
      "docs/design/simulator.md says what it holds and what it leaves out.</p></header>\n";
  for (const Group& group : by_machine_and_workload(results)) {
    out += "<h2>" + html::escaped(group.front()->workload + " on " + group.front()->machine) +
           "</h2>\n<div class=\"panels\">\n" + throughput_curves(group) + moves(group) + "</div>\n" + table(group);
  }
  return html::html_page("CHARM: simulated machines", out, command);
}

}  // namespace charm::cli
