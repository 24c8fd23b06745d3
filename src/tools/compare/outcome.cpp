#include "tools/compare/outcome.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

namespace charm::compare {
namespace {

template <class Figure>
std::vector<double> of_each(const std::vector<Sample>& runs, Figure figure) {
  std::vector<double> values;
  values.reserve(runs.size());
  for (const Sample& run : runs) values.push_back(figure(run));
  return values;
}

}  // namespace

std::vector<double> Series::wall() const {
  return of_each(runs, [](const Sample& run) { return run.child.wall_s; });
}

std::vector<double> Series::cpu() const {
  return of_each(runs, [](const Sample& run) { return run.child.user_s + run.child.system_s; });
}

std::vector<double> Series::peak() const {
  return of_each(runs, [](const Sample& run) { return static_cast<double>(run.child.peak_bytes); });
}

std::vector<double> Series::count(std::size_t counter) const {
  std::vector<double> values;
  for (const Sample& run : runs) {
    if (counter >= run.counts.size()) return {};
    const std::optional<double>& count = run.counts[counter];
    if (!count) return {};
    values.push_back(*count);
  }
  return values;
}

std::string Series::failures() const {
  std::map<std::string, std::size_t> by_end;
  for (const Sample& run : runs) {
    const os::ChildResult& child = run.child;
    if (child.signal != 0)
      ++by_end["ended by signal " + std::to_string(child.signal) + " (" + strsignal(child.signal) + ")"];
    else if (child.exit_code != 0)
      ++by_end["ended with exit code " + std::to_string(child.exit_code)];
  }
  std::string text;
  for (const auto& [end, count] : by_end) {
    text += (text.empty() ? "" : ", ") + std::to_string(count) + " of " + std::to_string(runs.size()) + " runs " +
            (end.starts_with("ended by") ? "were " : "") + end;
  }
  return text;
}

bool Series::peak_is_bound() const {
  return std::any_of(runs.begin(), runs.end(),
                     [](const Sample& run) { return run.child.peak_bytes <= run.child.floor_bytes; });
}

Finding overall(const Outcome& outcome) {
  Finding all = Finding::same;
  // In order of importance, the least important first; the last finding counts.
  for (const Finding finding : {Finding::unknown, Finding::first_wins, Finding::second_wins}) {
    for (const Comparison& comparison : outcome.comparisons) {
      if (comparison.verdict.finding == finding) all = finding;
    }
  }
  return all;
}

std::string sentence(const Outcome& outcome, const Comparison& comparison) {
  if (!comparison.no_verdict.empty())
    return "no verdict, because programs that fail are not compared: " + comparison.no_verdict;
  return sentence(comparison.verdict, comparison.judged(), outcome.series.front().program.name,
                  outcome.series[comparison.second].program.name);
}

Agreement agreement(const Outcome& outcome, std::size_t program) {
  const auto& first = outcome.series.front().outputs;
  const auto& own = outcome.series[program].outputs;
  if (first.empty() || own.empty()) return Agreement::unknown;
  const auto varies = [](const std::vector<Output>& outputs) {
    return std::any_of(outputs.begin(), outputs.end(), [&](const Output& one) { return one != outputs.front(); });
  };
  if (varies(first) || varies(own)) return Agreement::varies;
  return first.front() == own.front() ? Agreement::same : Agreement::differs;
}

Spread spread_of(const std::vector<double>& values) {
  Spread spread;
  if (values.empty()) return spread;
  const auto count = static_cast<double>(values.size());
  for (const double value : values) spread.mean += value / count;
  for (const double value : values) spread.sigma += (value - spread.mean) * (value - spread.mean);
  spread.sigma = values.size() < 2 ? 0 : std::sqrt(spread.sigma / (count - 1));
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  spread.least = *least;
  spread.most = *most;
  return spread;
}

}  // namespace charm::compare
