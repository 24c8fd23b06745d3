#include "cli/bench/table.hpp"

#include <fmt/format.h>

#include "base/format.hpp"
#include "cli/text_table.hpp"

namespace charm::cli {

std::string results_table(const BenchResult& outcome, bool colour) {
  using Align = Column::Align;
  const std::vector<Column> columns = {{"kernel", Align::left},   {"runtime", Align::left}, {"policy", Align::left},
                                       {"workers", Align::right}, {"median", Align::right}, {"spread", Align::right},
                                       {"rate", Align::right},    {"", Align::left},        {"memory", Align::right},
                                       {"verified", Align::left}};
  std::vector<std::vector<Cell>> rows;
  std::string previous;
  for (const auto& r : outcome.results) {
    rows.push_back({{r.kernel == previous ? "" : r.kernel, "1"},
                    {r.runtime, ""},
                    {r.policy == "none" ? "–" : r.policy, ""},
                    {fmt::format("{}", r.workers), ""},
                    {base::format_seconds(r.median_s()), ""},
                    {base::format_percent(r.spread()), ""},
                    {base::three_digits(r.rate()), ""},
                    {r.unit, ""},
                    {base::format_bytes(r.peak_rss_bytes), ""},
                    {r.verified ? "yes" : "WRONG", r.verified ? "32" : "1;31"}});
    previous = r.kernel;
  }
  return outcome.input.description + "\n\n" + render_table(columns, rows, colour);
}

}  // namespace charm::cli
