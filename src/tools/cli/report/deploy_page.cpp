#include "tools/cli/report/deploy_page.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "tools/cli/report/columns.hpp"
#include "tools/html/html.hpp"

namespace charm::cli {
namespace {

using Json = base::Json;

struct PolicyRun {
  std::string policy;
  int workers = 0;
  std::map<int, double> seconds;  // by query
  std::optional<int> right;       // queries with right answers, where they ran
};

/// Runs of one engine, or of one modelled machine; the first is what the others are compared with.
struct EngineRuns {
  std::string engine;
  std::vector<PolicyRun> runs;
  std::vector<std::pair<int, double>> by_processes;  // speed-up over one process
  std::vector<int> queries;                          // that all runs have
};

std::vector<EngineRuns> engines_of(const Json& results) {
  std::vector<EngineRuns> engines;
  for (const Json& each : results.at("runs")) {
    const auto& name = each.at("engine").get_ref<const std::string&>();
    if (engines.empty() || engines.back().engine != name) engines.push_back({name, {}, {}, {}});
    PolicyRun run{each.at("policy"), each.at("workers"), {}, {}};
    for (const auto& [query, seconds] : each.at("seconds").items()) run.seconds[std::stoi(query)] = seconds;
    if (each.contains("right")) run.right = each.at("right").get<int>();
    engines.back().runs.push_back(std::move(run));
  }
  for (EngineRuns& engine : engines) {
    for (const auto& each : engine.runs.front().seconds) {
      const int query = each.first;
      if (std::all_of(engine.runs.begin(), engine.runs.end(),
                      [query](const PolicyRun& run) { return run.seconds.contains(query); }))
        engine.queries.push_back(query);
    }
    if (const auto found = results.at("by_processes").find(engine.engine); found != results.at("by_processes").end())
      found->get_to(engine.by_processes);
  }
  return engines;
}

double speedup(const EngineRuns& engine, std::size_t run, int query) {
  return engine.runs.front().seconds.at(query) / engine.runs[run].seconds.at(query);
}

double geometric_mean(const EngineRuns& engine, std::size_t run) {
  double logarithms = 0;
  for (const int query : engine.queries) logarithms += std::log(speedup(engine, run, query));
  return std::exp(logarithms / static_cast<double>(std::max<std::size_t>(1, engine.queries.size())));
}

std::string chart_of(const EngineRuns& engine) {
  std::vector<std::string> names;
  ColumnGroup means{"mean", {}};
  for (std::size_t run = 0; run < engine.runs.size(); ++run) {
    names.push_back(fmt::format("{} ({} worker{})", engine.runs[run].policy, engine.runs[run].workers,
                                engine.runs[run].workers == 1 ? "" : "s"));
    means.values.push_back(geometric_mean(engine, run));
  }
  std::vector<ColumnGroup> groups;
  for (const int query : engine.queries) {
    ColumnGroup group{fmt::format("q{}", query), {}};
    for (std::size_t run = 0; run < engine.runs.size(); ++run) group.values.push_back(speedup(engine, run, query));
    groups.push_back(std::move(group));
  }
  groups.push_back(std::move(means));
  return columns("Speed-up by query", names, groups);
}

std::string table_of(const EngineRuns& engine) {
  std::vector<html::HtmlColumn> titles = {{"query"}, {engine.runs.front().policy + ", seconds", true}};
  for (std::size_t run = 1; run < engine.runs.size(); ++run) titles.push_back({engine.runs[run].policy, true});
  std::vector<std::vector<std::string>> rows;
  for (const int query : engine.queries) {
    rows.push_back({fmt::format("q{}", query), fmt::format("{:.2f}", engine.runs.front().seconds.at(query))});
    for (std::size_t run = 1; run < engine.runs.size(); ++run)
      rows.back().push_back(fmt::format("{:.2f}", speedup(engine, run, query)));
  }
  const auto add = [&](const std::string& name, const auto& of) {
    rows.push_back({name});
    for (std::size_t run = 0; run < engine.runs.size(); ++run) rows.back().push_back(of(run));
  };
  add("geometric mean", [&](std::size_t run) { return fmt::format("{:.2f}", geometric_mean(engine, run)); });
  add("workers", [&](std::size_t run) { return std::to_string(engine.runs[run].workers); });
  if (engine.runs.front().right) {
    add("right answers",
        [&](std::size_t run) { return engine.runs[run].right ? std::to_string(*engine.runs[run].right) : "–"; });
  }
  return html::html_table(titles, rows);
}

std::string section_of(const EngineRuns& engine) {
  std::string out = "<h2>" + html::escaped(engine.engine) + "</h2>\n";
  const bool modelled = !engine.by_processes.empty();
  if (modelled) out += "<p class=\"muted\">Modelled, not measured: the recorded queries in CHARM's simulator.</p>\n";
  out += "<figure>\n<p class=\"sub\">Times as fast as " + html::escaped(engine.runs.front().policy) +
         ", by query. Longer is better.</p>\n" + chart_of(engine) + "</figure>\n";
  if (modelled) {
    std::vector<ColumnGroup> groups;
    for (const auto& [count, ratio] : engine.by_processes) groups.push_back({std::to_string(count), {ratio}});
    out += "<figure>\n<p class=\"sub\">Geometric mean over one process, by number of processes of equal size.</p>\n" +
           columns("Speed-up by number of processes", {"processes"}, groups) + "</figure>\n";
  }
  std::string some;
  for (const auto& [query, seconds] : engine.runs.front().seconds) {
    if (std::find(engine.queries.begin(), engine.queries.end(), query) == engine.queries.end())
      some += fmt::format("{}q{}", some.empty() ? "" : ", ", query);
  }
  if (!some.empty()) out += "<p class=\"verdict doubt\">left out, since not all policies have them: " + some + "</p>\n";
  return out + table_of(engine);
}

/// Wrong answers are what a reader must not miss.
std::string verdict_of(const std::vector<EngineRuns>& engines) {
  int asked = 0;
  int wrong = 0;
  for (const EngineRuns& engine : engines) {
    for (const PolicyRun& run : engine.runs) {
      if (!run.right) continue;
      asked += static_cast<int>(run.seconds.size());
      wrong += static_cast<int>(run.seconds.size()) - *run.right;
    }
  }
  if (asked == 0) return "";
  if (wrong > 0) return fmt::format("<p class=\"verdict bad\">✗ {} of {} answers are wrong</p>\n", wrong, asked);
  return fmt::format("<p class=\"verdict good\">✓ all {} answers are right</p>\n", asked);
}

}  // namespace

std::string deploy_page(const std::string& results, const Host& host, const std::string& command) {
  try {
    const Json all = Json::parse(results);
    const auto engines = engines_of(all);
    if (engines.empty()) throw std::invalid_argument("no runs");
    const bool measured = std::any_of(engines.begin(), engines.end(),
                                      [](const EngineRuns& engine) { return engine.by_processes.empty(); });
    const std::string title = "TPC-H by deployment";
    std::string body = "<header>\n<h1>" + title + "</h1>\n<p class=\"lead\">" +
                       (measured ? "Measured at scale factor " + html::escaped(all.at("scale").get<std::string>())
                                 : std::string("Modelled")) +
                       ": speed-up over the first policy</p>\n" + verdict_of(engines);
    if (measured)
      body += "<dl class=\"facts\">\n" + html::fact("Machine", host.machine) + html::fact("Host", host.name) +
              html::fact("System", host.kernel) + html::fact("Date", host.date) +
              html::fact("Trials", std::to_string(all.at("trials").get<int>())) + "</dl>\n";
    body += "</header>\n";
    for (const EngineRuns& engine : engines) body += section_of(engine);
    return html::html_page(title, body, command);
  } catch (const std::exception& error) {
    throw Error(Errc::bad_input, fmt::format("these are no results of charm deploy bench: {}", error.what()),
                "give what charm deploy bench --json prints");
  }
}

}  // namespace charm::cli
