#include "tools/cli/bench/table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/format.hpp"
#include "tools/base/quantile.hpp"
#include "tools/cli/text_table.hpp"

namespace charm::cli {
namespace {

std::string median_count(const std::vector<std::uint64_t>& counts) {
  if (counts.empty()) return "–";
  return fmt::format("{:.0f}", base::median(std::vector<double>(counts.begin(), counts.end())));
}

}  // namespace

std::string results_table(const BenchResult& outcome, bool colour) {
  using Align = Column::Align;
  std::vector<Column> columns = {{"kernel", Align::left},   {"runtime", Align::left}, {"policy", Align::left},
                                 {"workers", Align::right}, {"median", Align::right}, {"spread", Align::right},
                                 {"rate", Align::right},    {"", Align::left},        {"memory", Align::right},
                                 {"verified", Align::left}};
  const bool counted = std::any_of(outcome.results.begin(), outcome.results.end(),
                                   [](const Result& r) { return !r.page_faults.empty() || !r.migrations.empty(); });
  if (counted) {
    columns.push_back({"page faults", Align::right});
    columns.push_back({"migrations", Align::right});
  }
  const bool transactions =
      std::any_of(outcome.results.begin(), outcome.results.end(), [](const Result& r) { return r.transactions; });
  if (transactions) {
    for (const char* name : {"p50", "p95", "p99", "p99.9", "aborts"}) columns.push_back({name, Align::right});
  }
  std::vector<std::vector<Cell>> rows;
  std::string previous;
  for (const auto& r : outcome.results) {
    rows.push_back({{r.kernel == previous ? "" : r.kernel, "1"},
                    {r.runtime, ""},
                    {r.policy == "none" ? "–" : r.variant(), ""},
                    {fmt::format("{}", r.workers), ""},
                    {base::format_seconds(r.median_s()), ""},
                    {base::format_percent(r.spread()), ""},
                    {base::three_digits(r.rate()), ""},
                    {r.unit, ""},
                    {base::format_bytes(r.peak_rss_bytes), ""},
                    {r.verified ? "yes" : "WRONG", r.verified ? "32" : "1;31"}});
    if (counted) {
      rows.back().push_back({median_count(r.page_faults), ""});
      rows.back().push_back({median_count(r.migrations), ""});
    }
    if (r.transactions) {
      for (const auto& each : r.transactions->latencies)
        rows.back().push_back({base::format_seconds(each.seconds), ""});
      rows.back().push_back({base::format_percent(r.transactions->aborts_each()), ""});
    }
    previous = r.kernel;
  }
  return outcome.input.description + "\n\n" + render_table(columns, rows, colour);
}

}  // namespace charm::cli
