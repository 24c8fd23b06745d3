#include "tools/compare/disturbance.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "tools/base/quantile.hpp"

namespace charm::compare {
namespace {

// Below these nothing is worth a line: they are within what a quiet machine does.
constexpr double little_waiting = 0.05;
constexpr double little_drift = 0.01;

}  // namespace

double drift(const Outcome& outcome) {
  std::vector<double> first;
  std::vector<double> second;
  for (const Series& series : outcome.series) {
    const auto times = series.wall();
    const double usual = base::median(times);
    if (times.size() < 4 || !(usual > 0)) return 0;
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (times.size() % 2 == 1 && i == times.size() / 2) continue;
      (i < times.size() / 2 ? first : second).push_back(std::log(times[i] / usual));
    }
  }
  if (first.empty()) return 0;
  const TrimmedMean a = trimmed_mean(first, 0.2);
  const TrimmedMean b = trimmed_mean(second, 0.2);
  const double change = b.mean - a.mean;
  if (std::abs(change) < little_drift || std::abs(change) < 3 * std::hypot(a.error, b.error)) return 0;
  return std::expm1(change);
}

std::vector<std::string> disturbances(const os::MachineActivity& around, const Outcome& outcome) {
  std::vector<std::string> lines = os::others_at_work(around);
  const auto& before = around.before;
  const auto& after = around.after;
  const double seconds = after.at_s - before.at_s;
  const int cpus = std::max(1, after.cpus);
  if (seconds > 0 && before.waiting_s && after.waiting_s) {
    const double waiting = (*after.waiting_s - *before.waiting_s) / seconds;
    if (waiting >= little_waiting) {
      lines.push_back(fmt::format("in {} % of the time some thread waited for a cpu (pressure stall information)",
                                  percent_digits(waiting)));
    }
  }
  if (before.load_average && *before.load_average >= std::max(0.5, 0.25 * cpus)) {
    lines.push_back(fmt::format("the load average was {:.2g} on {} cpus when it began", *before.load_average, cpus));
  }
  if (const double change = drift(outcome); change != 0) {
    lines.push_back(fmt::format("the runs of the second half took {} % {} than those of the first (drift)",
                                percent_digits(std::abs(change)), change > 0 ? "longer" : "less"));
  }
  for (const auto& [governor, on] : around.governors) {
    // The others follow the load, and so runs that begin after a pause are slower.
    if (governor == "performance") continue;
    lines.push_back(fmt::format("the frequency governor of cpus {} is {}", on.to_text(), governor));
  }
  const bool in_doubt = overall(outcome) == Finding::unknown ||
                        std::any_of(outcome.comparisons.begin(), outcome.comparisons.end(),
                                    [](const Comparison& each) { return each.verdict.by_fastest; });
  if (lines.empty() && in_doubt) {
    double widest = 0;
    for (const Series& series : outcome.series) {
      const auto times = series.wall();
      const Interval box = quartiles(times);
      if (const double middle = base::median(times); middle > 0)
        widest = std::max(widest, (box.high - box.low) / middle);
    }
    lines.push_back(
        fmt::format("nothing else was seen on the machine: the programs' own times vary, their quartiles lie "
                    "up to {} % apart",
                    percent_digits(widest)));
  }
  return lines;
}

}  // namespace charm::compare
