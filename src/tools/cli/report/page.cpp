#include "tools/cli/report/page.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/format.hpp"
#include "tools/cli/report/bars.hpp"
#include "tools/cli/report/concurrency.hpp"
#include "tools/cli/report/history.hpp"
#include "tools/cli/report/speedups.hpp"
#include "tools/html/html.hpp"

namespace charm::cli {
namespace {

std::string kernel_title(const std::string& kernel) {
  constexpr std::array<std::pair<const char*, const char*>, 18> titles = {
      {{"bfs", "Breadth-first search"},
       {"pr", "PageRank"},
       {"cc", "Connected components"},
       {"sssp", "Shortest paths"},
       {"graph500", "Graph500"},
       {"gups", "RandomAccess"},
       {"loss", "Logistic loss"},
       {"gradient", "Gradient of the loss"},
       {"sgd-core", "Descent, a replica per core"},
       {"sgd-chiplet", "Descent, a replica per chiplet"},
       {"sgd-node", "Descent, a replica per NUMA node"},
       {"sgd-machine", "Descent, one model"},
       {"sgd-column", "Descent by feature"},
       {"gemm", "Product of full matrices"},
       {"cholesky", "Cholesky factorisation"},
       {"lu", "LU factorisation"},
       {"qr", "QR factorisation"},
       {"lq", "LQ factorisation"}}};
  for (const auto& [name, title] : titles) {
    if (kernel == name) return fmt::format("{} <span class=\"muted\">{}</span>", title, html::escaped(kernel));
  }
  return html::escaped(kernel);
}

constexpr const char* no_comparison = "disturbed: no comparison";

std::string header(const Report& report) {
  const BenchResult& outcome = report.outcome;
  std::size_t wrong = 0;
  for (const auto& r : outcome.results) wrong += r.verified ? 0 : 1;
  std::string verdict;
  for (const auto& text : outcome.disturbances)
    verdict += "<p class=\"verdict doubt\">disturbed: " + html::escaped(text) + "</p>\n";
  if (!outcome.disturbances.empty())
    verdict += "<p>The figures below say little about the runtimes: run it again on a quiet machine.</p>\n";
  if (wrong > 0) {
    verdict += fmt::format("<p class=\"verdict bad\">✗ {} of {} results are wrong</p>", wrong, outcome.results.size());
  } else if (outcome.disturbances.empty()) {
    verdict = fmt::format("<p class=\"verdict good\">✓ all {} results verified</p>", outcome.results.size());
  } else {
    verdict += fmt::format("<p class=\"muted\">All {} results are right.</p>", outcome.results.size());
  }
  const Host& host = report.host;
  return "<header>\n<h1>" + html::escaped(report.title) + "</h1>\n<p class=\"lead\">" +
         html::escaped(outcome.input.description) + "</p>\n" + verdict + "\n<dl class=\"facts\">\n" +
         html::fact("Machine", host.machine) + html::fact("Host", host.name) +
         html::fact("May use",
                    fmt::format("{} cpu{}, {} core{}, {} chiplet{}", host.cpus, host.cpus == 1 ? "" : "s", host.cores,
                                host.cores == 1 ? "" : "s", host.chiplets, host.chiplets == 1 ? "" : "s")) +
         html::fact("System", host.kernel) + html::fact("Compiler", host.compiler) + html::fact("Date", host.date) +
         (outcome.input.seconds > 0
              ? html::fact("Input made in",
                           fmt::format("{}, at most {} of memory", base::format_seconds(outcome.input.seconds),
                                       base::format_bytes(outcome.input.peak_rss_bytes)))
              : "") +
         "</dl>\n</header>\n";
}

/// Runs of results with one kernel, in the order in which they come.
std::vector<std::vector<Result>> by_kernel(const std::vector<Result>& results) {
  std::vector<std::vector<Result>> groups;
  for (const auto& r : results) {
    if (groups.empty() || groups.back().front().kernel != r.kernel) groups.emplace_back();
    groups.back().push_back(r);
  }
  return groups;
}

std::string bars(const BenchResult& outcome) {
  std::string out =
      "<h2>Rates</h2>\n<p class=\"muted\">Bars reach to the median trial, whiskers from the slowest trial to the "
      "fastest. Longer is better.</p>\n<div class=\"panels\">\n";
  for (const auto& rows : by_kernel(outcome.results)) {
    const std::string sentence = outcome.disturbances.empty() ? comparison(rows) : no_comparison;
    out += "<figure>\n<h3>" + kernel_title(rows.front().kernel) + "</h3>\n<p class=\"sub\">" + html::escaped(sentence) +
           "</p>\n" + rate_bars(rows) + "</figure>\n";
  }
  return out + "</div>\n";
}

/// Queries are many, and each takes a moment: a picture of all instead of one for each.
std::string speedups(const BenchResult& outcome) {
  std::string out =
      "<h2>Speed-up by query</h2>\n<p class=\"muted\">The peer's time over CHARM's, from trials of the same turn. "
      "Whiskers are 95 % intervals; where they reach 1 there is no difference to see.</p>\n";
  for (const auto& each : versus(outcome.results)) {
    if (!each.in_all) continue;
    out += "<figure>\n<h3>" + html::escaped("charm " + each.policy + " against " + each.peer) +
           "</h3>\n<p class=\"sub\">" +
           (outcome.disturbances.empty()
                ? html::escaped(fmt::format("{:.3f} times its time in all (95 %: {:.3f} to {:.3f})", each.in_all->value,
                                            each.in_all->at95.low, each.in_all->at95.high))
                : no_comparison) +
           "</p>\n" + speedup_bars(each) + "</figure>\n";
  }
  return out;
}

std::string results_rows(const std::vector<Result>& rows) {
  std::string out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Result& r = rows[i];
    out += i == 0 ? "<tr class=\"first\">" : "<tr>";
    out += "<td>" + (i == 0 ? html::escaped(r.kernel) : "") + "</td><td>" + html::escaped(r.runtime) + "</td><td>" +
           (r.policy == "none" ? "–" : html::escaped(r.variant())) + "</td>";
    for (const std::string& number :
         {std::to_string(r.workers), base::format_seconds(r.median_s()), base::format_seconds(r.min_s()),
          base::format_seconds(r.max_s()), base::format_percent(r.spread()),
          base::three_digits(r.rate()) + " " + r.unit, base::format_bytes(r.peak_rss_bytes)}) {
      out += "<td class=\"number\">" + html::escaped(number) + "</td>";
    }
    out += r.verified ? "<td>yes</td>" : "<td class=\"bad\">wrong</td>";
    out += "<td class=\"detail\">" + html::escaped(r.detail) + "</td></tr>\n";
  }
  return out;
}

std::string table(const BenchResult& outcome) {
  std::string out =
      "<h2>Figures</h2>\n<div class=\"scroll\"><table class=\"results\"><thead><tr><th>kernel</th><th>runtime</th>"
      "<th>policy</th>";
  for (const char* title : {"workers", "median", "min", "max", "spread", "rate", "peak memory"}) {
    out += fmt::format("<th class=\"number\">{}</th>", title);
  }
  out += "<th>verified</th><th>check</th></tr></thead>\n<tbody>\n";
  for (const auto& rows : by_kernel(outcome.results)) out += results_rows(rows);
  return out +
         "</tbody></table></div>\n<p class=\"muted\">Spread is the distance between the slowest and the fastest trial, "
         "as a "
         "part of the median. Peak memory holds the input and what the kernel and its check need.</p>\n";
}

std::string core_number(int id) { return id < 0 ? "–" : std::to_string(id); }

/// Many workers make several short tables side by side rather than a long one.
std::string worker_cores(const PolicyCores& placement) {
  constexpr std::size_t rows_each = 16;
  std::string out = "<h3>Policy " + html::escaped(placement.policy) + "</h3>\n<div class=\"worker_cores\">\n";
  for (std::size_t from = 0; from < placement.worker_cores.size(); from += rows_each) {
    std::vector<std::vector<std::string>> rows;
    for (std::size_t worker = from; worker < std::min(from + rows_each, placement.worker_cores.size()); ++worker) {
      const WorkerCore& worker_core = placement.worker_cores[worker];
      rows.push_back({std::to_string(worker), core_number(worker_core.cpu), core_number(worker_core.core),
                      core_number(worker_core.chiplet), core_number(worker_core.node),
                      core_number(worker_core.socket)});
    }
    out += html::html_table(
        {{"worker", true}, {"cpu", true}, {"core", true}, {"chiplet", true}, {"node", true}, {"socket", true}}, rows);
  }
  return out + "</div>\n";
}

std::string machine(const Report& report) {
  std::string out;
  if (!report.drawings.empty()) out += "<h2>Machine</h2>\n";
  for (const auto& drawing : report.drawings) {
    out += "<figure class=\"machine\">\n";
    if (!drawing.policy.empty())
      out += "<figcaption>Workers of policy " + html::escaped(drawing.policy) + "</figcaption>\n";
    out += drawing.svg + "\n</figure>\n";
  }
  if (!report.outcome.placements.empty()) {
    out += "<h2>Placement of each worker</h2>\n";
    for (const auto& placement : report.outcome.placements) out += worker_cores(placement);
  }
  return out;
}

std::string concurrency(const BenchResult& outcome) {
  std::string out;
  for (const auto& rows : by_kernel(outcome.results)) {
    if (rows.front().concurrency)
      out += "<figure>\n<h3>" + kernel_title(rows.front().kernel) + "</h3>\n" + concurrency_picture(rows) +
             concurrency_list(rows) + "</figure>\n";
  }
  if (out.empty()) return "";
  return "<h2>Threads at work</h2>\n<p class=\"muted\">How many threads ran the kernel's loops at a time, in the last "
         "trial of each runtime. The time between two loops counts as 0.</p>\n<div class=\"panels\">\n" +
         out + "</div>\n";
}

std::string histories(const BenchResult& outcome) {
  if (outcome.histories.empty()) return "";
  std::string out =
      "<h2>What the controller did</h2>\n<p class=\"muted\">Where the workers stood, and the signals that moved them. "
      "A "
      "dot is a decision.</p>\n";
  for (const auto& history : outcome.histories) {
    out += "<figure>\n<h3>Policy " + html::escaped(history.policy) + "</h3>\n" + history_picture(history) +
           history_list(history) + "</figure>\n";
  }
  return out;
}

std::string settings_and_versions(const Host& host) {
  std::vector<std::vector<std::string>> settings;
  settings.reserve(host.settings.size());
  for (const auto& s : host.settings) settings.push_back({s.name, s.value.empty() ? "–" : s.value, s.from});
  std::vector<std::vector<std::string>> versions;
  versions.reserve(host.versions.size());
  for (const auto& v : host.versions) versions.push_back({v.what, v.version});
  return "<h2>Settings and versions</h2>\n<div class=\"worker_cores\">\n" +
         html::html_table({{"setting"}, {"value"}, {"from"}}, settings) +
         html::html_table({{"software"}, {"version"}}, versions) + "</div>\n";
}

}  // namespace

std::string render_report(const Report& report) {
  return html::html_page(
      report.title,
      header(report) + (report.outcome.profiles.empty() ? bars(report.outcome) : speedups(report.outcome)) +
          table(report.outcome) + concurrency(report.outcome) + histories(report.outcome) + machine(report) +
          settings_and_versions(report.host) + html::notes("Notes", report.outcome.notes),
      report.command);
}

}  // namespace charm::cli
