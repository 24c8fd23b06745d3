#include "probe/structure/level.hpp"

#include <algorithm>

namespace charm::probe {
namespace {

// Of large groups, and of levels on large machines, a sample of the members is looked at, evenly spaced.
constexpr std::size_t most_members = 64;
constexpr std::size_t most_rows_described = 768;

/// What one member sees: distances to its group and to the others.
struct View {
  std::vector<double> in, out;
};

void look(const Distances& d, int member, const std::vector<char>& inside, View& view) {
  view.in.clear();
  view.out.clear();
  for (int j = 0; j < d.size(); ++j) {
    if (d.known(member, j)) (inside[static_cast<std::size_t>(j)] ? view.in : view.out).push_back(d.at(member, j));
  }
}

/// The nearest outsiders of a member, as many as its group is large; the median of them, so that one odd pair says
/// nothing.
double nearest_outside(std::vector<double>& out, std::size_t group_size) {
  const std::size_t rank = std::min((group_size - 1) / 2, (out.size() - 1) / 2);
  std::nth_element(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(rank), out.end());
  return out[rank];
}

std::size_t member_stride(std::size_t group_size) { return (group_size + most_members - 1) / most_members; }

std::vector<char> membership(const Group& group, int n) {
  std::vector<char> inside(static_cast<std::size_t>(n), 0);
  for (int i : group) inside[static_cast<std::size_t>(i)] = 1;
  return inside;
}

}  // namespace

GroupDistances distances_of(const Distances& d, const Group& group) {
  GroupDistances seen;
  const auto inside = membership(group, d.size());
  View view;
  for (std::size_t k = 0; k < group.size(); k += member_stride(group.size())) {
    look(d, group[k], inside, view);
    if (!view.out.empty()) seen.beyond.push_back(nearest_outside(view.out, group.size()));
    seen.within.insert(seen.within.end(), view.in.begin(), view.in.end());
  }
  return seen;
}

double step_of(const Distances& d, const Group& group) {
  if (group.size() < 2 || static_cast<int>(group.size()) == d.size()) return unknown_distance;
  const auto inside = membership(group, d.size());
  std::vector<double> steps;
  View view;
  for (std::size_t k = 0; k < group.size(); k += member_stride(group.size())) {
    look(d, group[k], inside, view);
    if (view.in.empty() || view.out.empty()) continue;
    // The upper quarter of the distances inside, because a slope shows at a group's rim.
    steps.push_back(nearest_outside(view.out, group.size()) - quantile(view.in, 0.75));
  }
  return quantile(steps, 0.25);
}

void describe(const Distances& d, Level& level) {
  std::vector<double> steps, within, beyond, spreads;
  const std::size_t stride = (static_cast<std::size_t>(d.size()) + most_rows_described - 1) / most_rows_described;
  for (std::size_t g = 0; g < level.groups.size(); g += stride) {
    const Group& group = level.groups[g];
    if (group == level.remainder) continue;
    GroupDistances seen = distances_of(d, group);
    if (seen.within.size() > 2) spreads.push_back(quantile(seen.within, 0.9) - quantile(seen.within, 0.1));
    within.insert(within.end(), seen.within.begin(), seen.within.end());
    beyond.insert(beyond.end(), seen.beyond.begin(), seen.beyond.end());
    const double step = step_of(d, group);
    if (!std::isnan(step)) steps.push_back(step);
  }
  level.within = quantile(within, 0.5);
  level.beyond = quantile(beyond, 0.5);
  std::sort(steps.begin(), steps.end());
  level.step = steps.empty() ? 0 : steps[steps.size() / 10];
  level.spread = spreads.empty() ? 0 : quantile(spreads, 0.5);
}

std::size_t single_items(const Partition& groups) {
  return static_cast<std::size_t>(
      std::count_if(groups.begin(), groups.end(), [](const Group& g) { return g.size() == 1; }));
}

}  // namespace charm::probe
