#include "tools/probe/structure/candidates.hpp"

#include <algorithm>
#include <utility>

#include "tools/probe/structure/assignment.hpp"
#include "tools/probe/structure/linkage.hpp"

namespace charm::probe {
namespace {

// What the weakest groups of a level may show, given that it has the smallest step as a whole.
const double slightest_step = std::log(1.04);
constexpr double most_unassigned = 0.25;
constexpr double most_inferred = 0.12;
constexpr std::size_t most_thresholds = 64;

struct Cut {
  std::vector<int> groups;  // tree nodes
  Group unassigned;         // items in none of them
};

/// Innermost groups under `node` whose step is at least `least`. A part of the tree that shows its groups counts also
/// beside one that does not.
Cut cut(const Tree& tree, const std::vector<double>& steps, int node, double least) {
  const auto& here = tree.nodes[static_cast<std::size_t>(node)];
  if (here.left < 0) return {{}, here.items};
  Cut both = cut(tree, steps, here.left, least);
  const Cut right = cut(tree, steps, here.right, least);
  both.groups.insert(both.groups.end(), right.groups.begin(), right.groups.end());
  both.unassigned.insert(both.unassigned.end(), right.unassigned.begin(), right.unassigned.end());
  const double left_out = static_cast<double>(both.unassigned.size()) / static_cast<double>(here.items.size());
  if (!both.groups.empty() && left_out <= most_unassigned) return both;
  if (steps[static_cast<std::size_t>(node)] >= least) return {{node}, {}};
  return both;
}

/// Steps at which a cut of the tree changes. Of many, those that are as good as equal count as the least of them.
std::vector<double> thresholds_of(const std::vector<double>& steps) {
  std::vector<double> all;
  for (double step : steps) {
    if (step >= slightest_step) all.push_back(step);
  }
  std::sort(all.rbegin(), all.rend());
  if (all.size() <= most_thresholds) return all;
  const double apart = std::max(0.02, (all.front() - all.back()) / static_cast<double>(most_thresholds));
  std::vector<double> some;
  for (std::size_t t = 0; t < all.size(); ++t) {
    if (t + 1 == all.size() || std::floor(all[t] / apart) != std::floor(all[t + 1] / apart)) some.push_back(all[t]);
  }
  return some;
}

}  // namespace

Candidates candidate_levels(const Distances& distances) {
  Candidates candidates;
  if (distances.size() < 3) return candidates;
  const Tree tree = average_linkage(distances);
  std::vector<double> steps(tree.nodes.size(), unknown_distance);
  for (std::size_t node = static_cast<std::size_t>(distances.size()); node + 1 < tree.nodes.size(); ++node)
    steps[node] = step_of(distances, tree.nodes[node].items);

  Cut last;
  for (double least : thresholds_of(steps)) {
    Cut found = cut(tree, steps, tree.root(), least);
    if (found.groups == last.groups) continue;
    last = found;
    if (found.groups.empty()) continue;
    Partition groups;
    for (int node : found.groups) groups.push_back(tree.nodes[static_cast<std::size_t>(node)].items);
    auto level = assign_items(distances, std::move(groups), found.unassigned);
    if (!level || level->groups.size() < 2 + single_items(level->groups)) continue;
    const bool sure = level->inferred_share <= most_inferred && level->remainder.empty();
    auto& list = sure ? candidates.seen : candidates.inferred;
    if (list.empty() || list.back().level.groups != level->groups) list.push_back({least, std::move(*level)});
  }
  return candidates;
}

}  // namespace charm::probe
