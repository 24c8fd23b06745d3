#include "tools/cli/report/concurrency.hpp"

#include <fmt/format.h>

#include "tools/cli/report/curves.hpp"
#include "tools/html/html.hpp"

namespace charm::cli {
namespace {

std::string name_of(const Result& row) {
  return row.policy == "none" ? row.runtime : row.runtime + " " + row.variant();
}

}  // namespace

std::string concurrency_picture(const std::vector<Result>& rows) {
  std::vector<CurveSeries> series;
  for (const Result& row : rows) {
    if (!row.concurrency) continue;
    CurveSeries one{name_of(row), {}};
    double at_ms = 0;
    for (const double running : row.concurrency->running) {
      one.points.emplace_back(at_ms, running);
      at_ms += row.concurrency->bin_s * 1e3;
    }
    if (!one.points.empty()) one.points.emplace_back(at_ms, 0);
    series.push_back(std::move(one));
  }
  return curves("Threads at work over milliseconds", series, true);
}

std::string concurrency_list(const std::vector<Result>& rows) {
  std::string out = "<ul>\n";
  for (const Result& row : rows) {
    if (!row.concurrency) continue;
    out += fmt::format("<li>{}: {:.1f} of {} on average; {} thread{} took part</li>\n", html::escaped(name_of(row)),
                       row.concurrency->mean, row.workers, row.concurrency->threads,
                       row.concurrency->threads == 1 ? "" : "s");
  }
  return out + "</ul>\n";
}

}  // namespace charm::cli
