#include "tools/probe/structure/consolidation.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "tools/probe/structure/linkage.hpp"

namespace charm::probe {
namespace {

// Share of the usual distance between groups of a level: halves that are farther apart are two groups. Noise moves
// medians of blocks by far less.
constexpr double split_above = 0.55;
constexpr int most_rounds = 4;
constexpr std::size_t most_rows_compared =
    768;  // of large machines a sample of the groups tells how far apart they are

double median_within(const Distances& d, const Group& group) {
  std::vector<double> values;
  for (std::size_t a = 0; a < group.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (d.known(group[a], group[b])) values.push_back(d.at(group[a], group[b]));
    }
  }
  return quantile(values, 0.5);
}

double median_between(const Distances& d, const Group& a, const Group& b) {
  std::vector<double> values;
  for (int i : a) {
    for (int j : b) {
      if (d.known(i, j)) values.push_back(d.at(i, j));
    }
  }
  return quantile(values, 0.5);
}

/// The larger of two medians of which one may be unknown.
double larger(double a, double b) { return std::isnan(a) || b > a ? b : a; }

/// How far apart groups of this level usually are, beyond their inside.
double usual_distance(const Distances& d, const Partition& groups) {
  std::vector<double> apart;
  const std::size_t stride = (static_cast<std::size_t>(d.size()) + most_rows_compared - 1) / most_rows_compared;
  for (std::size_t g = 0; g < groups.size(); g += stride) {
    GroupDistances seen = distances_of(d, groups[g]);
    const double value = quantile(seen.beyond, 0.5) - quantile(seen.within, 0.5);
    if (value > 0) apart.push_back(value);
  }
  return quantile(apart, 0.5);
}

/// The two halves of a group that its own distances suggest; nothing where one would be a single item.
Partition halves_of(const Distances& d, const Group& group) {
  if (group.size() < 4) return {};
  Distances own(static_cast<int>(group.size()));
  for (std::size_t a = 0; a < group.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) own.set(static_cast<int>(a), static_cast<int>(b), d.at(group[a], group[b]));
  }
  const Tree tree = average_linkage(own);
  const auto& top = tree.nodes.back();
  Partition halves;
  for (int side : {top.left, top.right}) {
    Group half;
    for (int at : tree.nodes[static_cast<std::size_t>(side)].items) half.push_back(group[static_cast<std::size_t>(at)]);
    if (half.size() < 2) return {};
    halves.push_back(std::move(half));
  }
  return halves;
}

bool split_groups(const Distances& d, Partition& groups, double apart) {
  Partition result;
  for (auto& group : groups) {
    Partition halves = halves_of(d, group);
    const double contrast = halves.empty() ? 0
                                           : median_between(d, halves[0], halves[1]) -
                                                 larger(median_within(d, halves[0]), median_within(d, halves[1]));
    if (contrast > std::max(split_above * apart, smallest_step)) {
      result.insert(result.end(), halves.begin(), halves.end());
    } else {
      result.push_back(std::move(group));
    }
  }
  const bool changed = result.size() != groups.size();
  groups = std::move(result);
  return changed;
}

bool place_single_items(const Distances& d, Partition& groups) {
  std::vector<double> radius;
  for (const auto& group : groups) {
    GroupDistances seen = distances_of(d, group);
    radius.push_back((quantile(seen.within, 0.5) + quantile(seen.beyond, 0.5)) / 2);
  }
  bool changed = false;
  for (auto& single : groups) {
    if (single.size() != 1) continue;
    std::size_t best = groups.size();
    double nearest = unknown_distance;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      if (groups[g].size() < 3) continue;  // a full pair of siblings takes no third thread
      const double to = median_to(d, single[0], groups[g]);
      if (to < radius[g] && !(to >= nearest)) nearest = to, best = g;
    }
    if (best == groups.size()) continue;
    groups[best].push_back(single[0]);
    std::sort(groups[best].begin(), groups[best].end());
    single.clear();
    changed = true;
  }
  std::erase_if(groups, [](const Group& g) { return g.empty(); });
  return changed;
}

}  // namespace

void consolidate(const Distances& distances, Level& level) {
  if (!level.found()) return;
  bool changed = false;
  for (int round = 0; round < most_rounds; ++round) {
    const double apart = usual_distance(distances, level.groups);
    if (!(apart > 0)) break;
    const bool was_split = split_groups(distances, level.groups, apart);
    const bool placed = single_items(level.groups) > 0 && place_single_items(distances, level.groups);
    if (!was_split && !placed) break;
    changed = true;
  }
  if (!changed) return;
  std::sort(level.groups.begin(), level.groups.end());
  if (std::find(level.groups.begin(), level.groups.end(), level.remainder) == level.groups.end())
    level.remainder.clear();
  describe(distances, level);
}

}  // namespace charm::probe
