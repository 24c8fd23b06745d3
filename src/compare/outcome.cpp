#include "compare/outcome.hpp"

#include <algorithm>

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

}  // namespace charm::compare
