#include "probe/steps.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

namespace charm::probe {
namespace {

// A step worth the name: latencies outside at least an eighth above those inside. Below it lie the clusters that share a
// tag directory or a mesh stop within one last-level cache, and timer resolution.
const double smallest_step = std::log(1.13);
// Below this a partition is not even a candidate that was turned down.
const double slightest_step = std::log(1.04);
constexpr double most_stragglers = 0.25;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

using Group = std::vector<int>;

double quantile(std::vector<double>& values, double q) {
  if (values.empty()) return nan;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(q * static_cast<double>(values.size() - 1) + 0.5);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

double distance(const Distances& d, int i, int j) { return d[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)]; }

/// What one member sees: latencies to its group and to the others.
struct View {
  std::vector<double> in, out;
};

View view_of(const Distances& d, int member, const std::vector<char>& inside) {
  View view;
  for (std::size_t j = 0; j < d.size(); ++j) {
    const double value = d[static_cast<std::size_t>(member)][j];
    if (std::isnan(value)) continue;
    (inside[j] ? view.in : view.out).push_back(value);
  }
  return view;
}

/// The nearest outsiders of a member, as many as its group is large; the median of them, so that one odd pair says nothing.
double nearest_outside(std::vector<double>& out, std::size_t group_size) {
  const std::size_t rank = std::min((group_size - 1) / 2, (out.size() - 1) / 2);
  std::nth_element(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(rank), out.end());
  return out[rank];
}

std::vector<char> membership(const Group& group, std::size_t n) {
  std::vector<char> inside(n, 0);
  for (int i : group) inside[static_cast<std::size_t>(i)] = 1;
  return inside;
}

/// Log of the step around a group, as all but a quarter of its members see it; NaN where nobody can tell.
double step_of(const Distances& d, const Group& group) {
  if (group.size() < 2 || group.size() == d.size()) return nan;
  const auto inside = membership(group, d.size());
  std::vector<double> steps;
  for (int i : group) {
    View view = view_of(d, i, inside);
    if (view.in.empty() || view.out.empty()) continue;
    steps.push_back(nearest_outside(view.out, group.size()) - quantile(view.in, 0.75));
  }
  return quantile(steps, 0.25);
}

struct Cover {
  std::vector<int> groups;      // tree nodes
  std::vector<int> stragglers;  // items in none of them
};

/// Innermost groups under `node` whose step is at least `least`.
Cover cover(const Tree& tree, const std::vector<double>& steps, int node, double least) {
  const auto& here = tree.nodes[static_cast<std::size_t>(node)];
  if (here.left < 0) return {{}, here.items};
  Cover both = cover(tree, steps, here.left, least);
  const Cover right = cover(tree, steps, here.right, least);
  both.groups.insert(both.groups.end(), right.groups.begin(), right.groups.end());
  both.stragglers.insert(both.stragglers.end(), right.stragglers.begin(), right.stragglers.end());
  const double left_out = static_cast<double>(both.stragglers.size()) / static_cast<double>(here.items.size());
  if (!both.groups.empty() && (left_out <= most_stragglers || both.stragglers.size() == 1)) return both;
  if (steps[static_cast<std::size_t>(node)] >= least) return {{node}, {}};
  return both;  // A part that shows its groups is not forgotten over one that does not (see complete()).
}

double median_between(const Distances& d, int item, const Group& group) {
  std::vector<double> values;
  for (int j : group) {
    if (j != item && !std::isnan(distance(d, item, j))) values.push_back(distance(d, item, j));
  }
  return quantile(values, 0.5);
}

std::size_t common_size(const std::vector<Group>& groups) {
  std::map<std::size_t, std::size_t> count;
  for (const auto& group : groups) ++count[group.size()];
  return std::max_element(count.begin(), count.end(), [](auto& a, auto& b) { return a.second < b.second; })->first;
}

void measure(const Distances& d, Level& level) {
  std::vector<double> steps, within, beyond;
  for (const auto& group : level.groups) {
    if (group == level.leftovers) continue;
    const auto inside = membership(group, d.size());
    for (int i : group) {
      View view = view_of(d, i, inside);
      if (!view.out.empty()) beyond.push_back(nearest_outside(view.out, group.size()));
      within.insert(within.end(), view.in.begin(), view.in.end());
    }
    const double step = step_of(d, group);
    if (!std::isnan(step)) steps.push_back(step);
  }
  level.within = quantile(within, 0.5);
  level.beyond = quantile(beyond, 0.5);
  level.step = steps.empty() ? 0 : quantile(steps, 0.1);
}

/// Pairs up items of `alone` that are each other's nearest, clearly nearer than outsiders are. Returns how many.
double pair_nearest(const Distances& d, Group& alone, Level& level) {
  const auto nearest = [&](int item) {
    int best = -1;
    for (int other : alone) {
      const double v = other == item ? nan : distance(d, item, other);
      if (!std::isnan(v) && (best < 0 || v < distance(d, item, best))) best = other;
    }
    return best;
  };
  std::vector<Group> pairs;
  for (int item : alone) {
    const int other = nearest(item);
    if (other > item && nearest(other) == item && distance(d, item, other) < level.beyond - 2 * smallest_step) pairs.push_back({item, other});
  }
  for (const auto& pair : pairs) {
    level.groups.push_back(pair);
    std::erase(alone, pair[0]);
    std::erase(alone, pair[1]);
  }
  return static_cast<double>(pairs.size());
}

/// Gives the stragglers a place: with the group that they are as close to as its members are to each other; else with
/// the one group that they were never measured with, if it lacks a member; else together, if they are just as many as a
/// group has (their lines were homed elsewhere, so that nothing is near to anything); else alone.
std::optional<Level> complete(const Distances& d, const Tree& tree, const Cover& found) {
  Level level;
  for (int node : found.groups) level.groups.push_back(tree.nodes[static_cast<std::size_t>(node)].items);
  if (level.groups.empty()) return std::nullopt;
  measure(d, level);
  const std::size_t usual = common_size(level.groups);
  const std::size_t whole = level.groups.size();
  double inferred = 0;
  Group alone;
  for (int item : found.stragglers) {
    double best = std::numeric_limits<double>::infinity();
    std::size_t best_group = whole;
    std::vector<std::size_t> open;  // groups without a measurement to this item
    for (std::size_t g = 0; g < whole; ++g) {
      const double near = median_between(d, item, level.groups[g]);
      if (std::isnan(near)) open.push_back(g);
      if (near < best) best = near, best_group = g;
    }
    // Coarse timers make ties: a full pair takes no third while the item has a straggler that is as near.
    const bool has_partner = std::any_of(found.stragglers.begin(), found.stragglers.end(), [&](int other) {
      return other != item && distance(d, item, other) < best + smallest_step;
    });
    if (usual == 2 && has_partner) {
      alone.push_back(item);
      continue;
    }
    if (best_group < whole && best < (level.within + level.beyond) / 2) {
      level.groups[best_group].push_back(item);
      continue;
    }
    std::erase_if(open, [&](std::size_t g) { return level.groups[g].size() + 1 != usual; });
    if (open.size() == 1 && best_group < whole) {
      level.groups[open[0]].push_back(item);
      inferred += 1;
    } else {
      alone.push_back(item);
    }
  }
  if (usual == 2) inferred += pair_nearest(d, alone, level) / 4;
  // Who is as near to another straggler as groups are inside is not alone: its group was just not seen at this step.
  const double middle = (level.within + level.beyond) / 2;
  const auto overlooked = std::count_if(alone.begin(), alone.end(), [&](int item) {
    return std::any_of(alone.begin(), alone.end(), [&](int other) { return other != item && distance(d, item, other) < middle; });
  });
  if (static_cast<double>(overlooked) > 0.03 * static_cast<double>(d.size())) return std::nullopt;
  if (alone.size() >= 2 && (alone.size() == usual || (whole == 1 && 3 * alone.size() >= 2 * usual && 2 * alone.size() <= 3 * usual))) {
    inferred += static_cast<double>(alone.size());
    std::sort(alone.begin(), alone.end());
    level.groups.push_back(alone);
    level.leftovers = alone;
  } else {
    for (int item : alone) level.groups.push_back({item});
    // A single item of its own is a strong claim where groups are large.
    if (usual > 1) inferred += static_cast<double>(alone.size()) / 2;
  }
  for (auto& group : level.groups) std::sort(group.begin(), group.end());
  std::sort(level.groups.begin(), level.groups.end());
  measure(d, level);
  const auto singles = std::count_if(level.groups.begin(), level.groups.end(), [](const Group& g) { return g.size() == 1; });
  if (static_cast<double>(singles) > most_stragglers * static_cast<double>(d.size())) return std::nullopt;
  level.doubt = inferred / static_cast<double>(d.size());
  return level;
}

/// Share of the items in groups of `coarse` (of three items or more, or of two that fall apart) that `fine` divides;
/// 0 where `fine` does not lie within `coarse`.
double divided(const std::vector<Group>& coarse, const std::vector<Group>& fine, std::size_t n) {
  std::vector<int> of(n, -1);
  for (std::size_t g = 0; g < coarse.size(); ++g) {
    for (int i : coarse[g]) of[static_cast<std::size_t>(i)] = static_cast<int>(g);
  }
  std::vector<int> parts(coarse.size(), 0);
  for (const auto& group : fine) {
    const int parent = of[static_cast<std::size_t>(group[0])];
    for (int i : group) {
      if (of[static_cast<std::size_t>(i)] != parent) return 0;
    }
    ++parts[static_cast<std::size_t>(parent)];
  }
  std::size_t items = 0;
  std::size_t split = 0;
  for (std::size_t g = 0; g < coarse.size(); ++g) {
    if (coarse[g].size() < 3 && parts[g] < 2) continue;
    items += coarse[g].size();
    if (parts[g] > 1) split += coarse[g].size();
  }
  return items == 0 ? 0 : static_cast<double>(split) / static_cast<double>(items);
}

/// How many standard errors lie between the latencies within the groups of `level` and those from them to the rest of
/// their group of `coarse`. Every group is measured against itself, since whole groups may be raised, and those that were
/// only inferred do not count.
double significance(const Distances& d, const std::vector<Group>& coarse, const Level& level) {
  std::vector<const Group*> around(d.size());
  for (const auto& group : coarse) {
    for (int i : group) around[static_cast<std::size_t>(i)] = &group;
  }
  std::vector<double> in_off, out_off, steps;
  for (const auto& group : level.groups) {
    if (group.size() < 2 || group == level.leftovers) continue;
    std::vector<double> in, out;
    for (int i : group) {
      for (int j : *around[static_cast<std::size_t>(i)]) {
        const double value = distance(d, i, j);
        if (std::isnan(value)) continue;
        const bool inside = std::binary_search(group.begin(), group.end(), j);
        if (!inside || i < j) (inside ? in : out).push_back(value);
      }
    }
    if (in.empty() || out.empty()) continue;
    const double in_middle = quantile(in, 0.5);
    const double out_middle = quantile(out, 0.5);
    steps.push_back(out_middle - in_middle);
    for (double v : in) in_off.push_back(std::abs(v - in_middle));
    for (double v : out) out_off.push_back(std::abs(v - out_middle));
  }
  if (steps.empty()) return 0;
  const auto squared_error = [](std::vector<double>& off) {
    const double spread = std::max(0.02, 1.5 * quantile(off, 0.5));
    return spread * spread / static_cast<double>(off.size());
  };
  return quantile(steps, 0.5) / std::sqrt(squared_error(in_off) + squared_error(out_off));
}

struct Candidate {
  double least;  // the step that all of its groups reach
  Level level;
};

/// From the strongest candidate to the weakest: each one that divides what stands so far takes its place.
void choose(const Distances& d, std::vector<Candidate>& candidates, Search& result) {
  for (auto& [least, level] : candidates) {
    if (level.groups == result.level.groups || divided(result.level.groups, level.groups, d.size()) < 0.7) continue;
    if (significance(d, result.level.groups, level) < 4) continue;
    const double step = std::min(least, level.beyond - level.within);
    if (step >= smallest_step) {
      result.level = std::move(level);
      result.runner_up = 0;
    } else {
      result.runner_up = std::max(result.runner_up, step);
    }
  }
}

}  // namespace

Search innermost_level(const Distances& distances) {
  Search result;
  const std::size_t n = distances.size();
  Group everything(n);
  std::iota(everything.begin(), everything.end(), 0);
  result.level.groups = {everything};
  if (n < 3) return result;

  const Tree tree = average_linkage(distances);
  std::vector<double> steps(tree.nodes.size(), nan);
  std::vector<double> thresholds;
  for (std::size_t node = n; node + 1 < tree.nodes.size(); ++node) {
    steps[node] = step_of(distances, tree.nodes[node].items);
    if (steps[node] >= slightest_step) thresholds.push_back(steps[node]);
  }
  std::sort(thresholds.rbegin(), thresholds.rend());

  std::vector<Candidate> sure, inferred;
  Cover last;
  for (double least : thresholds) {
    const Cover found = cover(tree, steps, static_cast<int>(tree.nodes.size()) - 1, least);
    if (found.groups == last.groups) continue;
    last = found;
    if (auto level = complete(distances, tree, found); level && level->found()) {
      auto& list = level->doubt > 0.03 ? inferred : sure;
      list.push_back({least, std::move(*level)});
    }
  }
  choose(distances, sure, result);
  if (!result.level.found()) choose(distances, inferred, result);
  return result;
}

}  // namespace charm::probe
