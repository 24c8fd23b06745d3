#include "probe/steps.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "probe/grouping.hpp"
#include "probe/refine.hpp"
#include "probe/settle.hpp"

namespace charm::probe {
namespace {

// What the weakest groups of a level may show, given that it has the smallest step as a whole.
const double slightest_step = std::log(1.04);
constexpr double most_stragglers = 0.25;

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
  return both;  // A part that shows its groups is not forgotten over one that does not (see settle.hpp).
}

/// Share of the items in the groups of `coarse` that `fine` divides, among those that are larger than its own groups
/// usually are: a group of `coarse` that is already of the finer kind need not fall apart. Below 0 where `fine` does
/// not lie within `coarse`.
double divided(const std::vector<Group>& coarse, const std::vector<Group>& fine, std::size_t n) {
  std::vector<int> of(n, -1);
  for (std::size_t g = 0; g < coarse.size(); ++g) {
    for (int i : coarse[g]) of[static_cast<std::size_t>(i)] = static_cast<int>(g);
  }
  std::vector<int> parts(coarse.size(), 0);
  std::vector<std::size_t> sizes;  // of every item's group
  std::ptrdiff_t astray = 0;       // a few items that were placed wrongly on one of the levels do not matter
  for (const auto& group : fine) {
    std::vector<std::ptrdiff_t> in(coarse.size(), 0);
    for (int i : group) ++in[static_cast<std::size_t>(of[static_cast<std::size_t>(i)])];
    const auto parent = std::max_element(in.begin(), in.end());
    astray += static_cast<std::ptrdiff_t>(group.size()) - *parent;
    ++parts[static_cast<std::size_t>(parent - in.begin())];
    sizes.insert(sizes.end(), group.size(), group.size());
  }
  if (20 * astray > static_cast<std::ptrdiff_t>(n) && astray > 1) return -1;
  std::nth_element(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(n / 2), sizes.end());
  const std::size_t usual = sizes[n / 2];
  std::size_t smallest = n;
  for (const auto& group : fine) smallest = std::min(smallest, group.size());
  std::size_t items = 0;
  std::size_t split = 0;
  for (std::size_t g = 0; g < coarse.size(); ++g) {
    // Everything is no kind of group to compare with, unless all that would come off it is an item or two.
    const bool anything = coarse.size() == 1 && smallest > (n < 8 ? 1 : 2);
    if (!anything && 2 * coarse[g].size() < 3 * usual) continue;
    items += coarse[g].size();
    if (parts[g] > 1) split += coarse[g].size();
  }
  return items == 0 ? 0 : static_cast<double>(split) / static_cast<double>(items);
}

/// How many standard errors lie between the latencies within the groups of `level` and those from them to the rest of
/// their group of `coarse`. Every group is measured against itself, since whole groups may be raised, and those that
/// were only inferred do not count.
double significance(const Distances& d, const std::vector<Group>& coarse, const Level& level) {
  std::vector<const Group*> around(d.size());
  for (const auto& group : coarse) {
    for (int i : group) around[static_cast<std::size_t>(i)] = &group;
  }
  std::vector<double> in_off, out_off, steps;
  for (const auto& group : level.groups) {
    if (group.size() < 2 || group == level.leftovers || group == *around[static_cast<std::size_t>(group[0])]) continue;
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

/// Whether two partitions are the same but for a few items.
bool variants(const std::vector<Group>& a, const std::vector<Group>& b, std::size_t n) {
  const auto agreement = [&](const std::vector<Group>& x, const std::vector<Group>& y) {
    std::vector<std::size_t> of(n, 0);
    for (std::size_t g = 0; g < y.size(); ++g) {
      for (int i : y[g]) of[static_cast<std::size_t>(i)] = g;
    }
    std::size_t same = 0;
    std::vector<std::size_t> overlap(y.size());
    for (const auto& group : x) {
      std::fill(overlap.begin(), overlap.end(), 0);
      for (int i : group) ++overlap[of[static_cast<std::size_t>(i)]];
      same += *std::max_element(overlap.begin(), overlap.end());
    }
    return static_cast<double>(same) / static_cast<double>(n);
  };
  return agreement(a, b) >= 0.9 && agreement(b, a) >= 0.9;
}

std::ptrdiff_t singles(const Level& level) {
  return std::count_if(level.groups.begin(), level.groups.end(), [](const Group& g) { return g.size() == 1; });
}

/// From the strongest candidate to the weakest: each one that divides what stands so far takes its place; so does one
/// that only mends it, by dividing groups that show no step of their own or by placing items that stood alone.
void choose(const Distances& d, std::vector<Candidate>& candidates, Search& result) {
  for (auto& [least, level] : candidates) {
    if (level.groups == result.level.groups) continue;
    const bool found = result.level.found();
    const double share = divided(result.level.groups, level.groups, d.size());
    const bool places =
        found && variants(result.level.groups, level.groups, d.size()) && singles(level) < singles(result.level);
    const bool mends = found && share >= 0 && level.step > result.level.step + smallest_step;
    const bool significant = places || significance(d, result.level.groups, level) >= 4;
    if (share < 0 && !places) continue;
    // A step that is small against what latencies inside the groups differ by is the steeper part of a slope.
    const bool slope = level.step < 0.6 * level.spread;
    const double step = std::min({least, level.step, level.beyond - level.within});
    const bool clear =
        !slope && step >= slightest_step && least >= smallest_step && level.beyond - level.within >= smallest_step;
    if ((share >= 0.7 || mends || places) && significant && clear) {
      result.level = std::move(level);
      result.runner_up = 0;
    } else if (significant && !slope) {
      result.runner_up = std::max(result.runner_up, step);
    }
  }
}

Search search(const Distances& distances) {
  Search result;
  const std::size_t n = distances.size();
  Group everything(n);
  std::iota(everything.begin(), everything.end(), 0);
  result.level.groups = {everything};
  if (n < 3) return result;

  const Tree tree = average_linkage(distances);
  std::vector<double> steps(tree.nodes.size(), unknown_distance);
  std::vector<double> thresholds;
  for (std::size_t node = n; node + 1 < tree.nodes.size(); ++node) {
    steps[node] = step_of(distances, tree.nodes[node].items);
    if (steps[node] >= slightest_step) thresholds.push_back(steps[node]);
  }
  std::sort(thresholds.rbegin(), thresholds.rend());
  // Steps of many groups differ by less than can be told; of those that are as good as equal the least covers all.
  if (thresholds.size() > 64) {
    std::vector<double> apart;
    for (std::size_t t = 0; t < thresholds.size(); ++t) {
      if (t + 1 == thresholds.size() || std::floor(thresholds[t] / 0.02) != std::floor(thresholds[t + 1] / 0.02))
        apart.push_back(thresholds[t]);
    }
    thresholds = std::move(apart);
  }

  std::vector<Candidate> sure, inferred;
  Cover last;
  for (double least : thresholds) {
    const Cover found = cover(tree, steps, static_cast<int>(tree.nodes.size()) - 1, least);
    if (found.groups == last.groups) continue;
    last = found;
    if (found.groups.empty()) continue;
    std::vector<Group> groups;
    for (int node : found.groups) groups.push_back(tree.nodes[static_cast<std::size_t>(node)].items);
    if (auto level = settle(distances, std::move(groups), found.stragglers); level && level->found()) {
      auto& list = level->doubt > 0.12 || !level->leftovers.empty() ? inferred : sure;
      if (list.empty() || list.back().level.groups != level->groups) list.push_back({least, std::move(*level)});
    }
  }
  choose(distances, sure, result);
  if (!result.level.found()) choose(distances, inferred, result);
  return result;
}

}  // namespace

Search innermost_level(const Distances& distances) {
  Search result = search(distances);
  result.refined = refine(distances, result.level, search);
  return result;
}

}  // namespace charm::probe
