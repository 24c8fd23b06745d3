#include "tools/probe/structure/level.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace charm::probe {
namespace {

// Of large groups, and of levels on large machines, a sample of the members is looked at, evenly spaced.
constexpr std::size_t most_members = 64;
constexpr std::size_t most_rows_described = 768;

using Code = Distances::Code;

/// What one member sees, as codes: the known distances to its group, and those to all items in which the group's own
/// count as unknown.
struct View {
  std::vector<Code> in, out;
  std::size_t outsiders = 0;  // known ones
};

void look(const Distances& d, int member, const Group& group, View& view) {
  const auto row = d.row(member);
  view.in.clear();
  view.out.assign(row.begin(), row.end());
  for (int j : group) {
    Code& code = view.out[static_cast<std::size_t>(j)];
    if (code != Distances::unknown) view.in.push_back(code);
    code = Distances::unknown;
  }
  view.outsiders = view.out.size() - static_cast<std::size_t>(std::ranges::count(view.out, Distances::unknown));
}

/// The code that `rank` others precede. Nearly all of a row's codes are larger than that, and blocks of them are
/// passed over by their least one.
Code smallest_but(const std::vector<Code>& codes, std::size_t rank) {
  constexpr std::size_t block = 32;
  std::array<Code, most_members / 2> least{};  // the smallest so far, ascending
  least.fill(Distances::unknown);
  const Code& bound = least[rank];
  const auto take = [&](Code code) {
    std::size_t at = rank;
    for (; at > 0 && least[at - 1] > code; --at) least[at] = least[at - 1];
    least[at] = code;
  };
  for (std::size_t from = 0; from < codes.size(); from += block) {
    const std::size_t end = std::min(codes.size(), from + block);
    Code lowest = Distances::unknown;
    for (std::size_t i = from; i < end; ++i) lowest = std::min(lowest, codes[i]);
    if (lowest >= bound) continue;
    for (std::size_t i = from; i < end; ++i) {
      if (codes[i] < bound) take(codes[i]);
    }
  }
  return bound;
}

/// The nearest outsiders of a member, as many as its group is large; the median of them, so that one odd pair says
/// nothing. \param view with outsiders; is reordered.
double nearest_outside(View& view, std::size_t group_size) {
  const std::size_t rank = std::min((group_size - 1) / 2, (view.outsiders - 1) / 2);
  if (rank < most_members / 2) return Distances::value_of(smallest_but(view.out, rank));
  const auto at = view.out.begin() + static_cast<std::ptrdiff_t>(rank);
  std::nth_element(view.out.begin(), at, view.out.end());
  return Distances::value_of(*at);
}

std::size_t member_stride(std::size_t group_size) { return (group_size + most_members - 1) / most_members; }

/// Both of what is asked about a group, in one look at each of its members. \param seen may be null.
double step_and_distances(const Distances& d, const Group& group, GroupDistances* seen) {
  std::vector<double> steps;
  View view;
  for (std::size_t k = 0; k < group.size(); k += member_stride(group.size())) {
    look(d, group[k], group, view);
    const double beyond = view.outsiders > 0 ? nearest_outside(view, group.size()) : unknown_distance;
    if (seen != nullptr) {
      if (view.outsiders > 0) seen->beyond.push_back(beyond);
      std::ranges::transform(view.in, std::back_inserter(seen->within), Distances::value_of);
    }
    // The upper quarter of the distances inside, because a slope shows at a group's rim.
    if (!view.in.empty() && view.outsiders > 0) steps.push_back(beyond - quantile(view.in, 0.75));
  }
  if (group.size() < 2 || static_cast<int>(group.size()) == d.size()) return unknown_distance;
  return quantile(steps, 0.25);
}

}  // namespace

GroupDistances distances_of(const Distances& d, const Group& group) {
  GroupDistances seen;
  step_and_distances(d, group, &seen);
  return seen;
}

double step_of(const Distances& d, const Group& group) {
  if (group.size() < 2 || static_cast<int>(group.size()) == d.size()) return unknown_distance;
  return step_and_distances(d, group, nullptr);
}

void describe(const Distances& d, Level& level) {
  std::vector<double> steps, within, beyond, spreads;
  const std::size_t stride = (static_cast<std::size_t>(d.size()) + most_rows_described - 1) / most_rows_described;
  for (std::size_t g = 0; g < level.groups.size(); g += stride) {
    const Group& group = level.groups[g];
    if (group == level.remainder) continue;
    GroupDistances seen;
    const double step = step_and_distances(d, group, &seen);
    if (seen.within.size() > 2) spreads.push_back(quantile(seen.within, 0.9) - quantile(seen.within, 0.1));
    within.insert(within.end(), seen.within.begin(), seen.within.end());
    beyond.insert(beyond.end(), seen.beyond.begin(), seen.beyond.end());
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
