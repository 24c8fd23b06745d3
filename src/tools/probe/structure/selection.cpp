#include "tools/probe/structure/selection.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "tools/probe/structure/candidates.hpp"

namespace charm::probe {
namespace {

constexpr double most_divide = 0.7;  // share of items whose coarse group a finer partition has to divide
const double least_step = std::log(1.04);

/// Share of the items in the groups of `coarse` that `fine` divides, among those that are larger than its own groups
/// usually are: a group of `coarse` that is already of the finer kind need not fall apart. Below 0 where `fine` does
/// not lie within `coarse`.
double divided(const Partition& coarse, const Partition& fine, std::size_t n) {
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
  std::size_t items = 0;
  std::size_t split = 0;
  for (std::size_t g = 0; g < coarse.size(); ++g) {
    if (2 * coarse[g].size() < 3 * usual) continue;
    items += coarse[g].size();
    if (parts[g] > 1) split += coarse[g].size();
  }
  return items == 0 ? 0 : static_cast<double>(split) / static_cast<double>(items);
}

/// Whether two partitions are the same but for a few items.
bool variants(const Partition& a, const Partition& b, std::size_t n) {
  const auto agreement = [&](const Partition& x, const Partition& y) {
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

/// From the strongest candidate to the weakest: each one that divides what stands so far takes its place, and so does
/// one that is the same but for items that stood alone.
void select(std::vector<Candidate>& candidates, std::size_t n, Selection& result) {
  for (auto& [least, level] : candidates) {
    if (level.groups == result.level.groups) continue;
    const bool found = result.level.found();
    const double share = divided(result.level.groups, level.groups, n);
    const bool places = found && variants(result.level.groups, level.groups, n) &&
                        single_items(level.groups) < single_items(result.level.groups);
    if (share < 0 && !places) continue;
    // A step that is small against what latencies inside the groups differ by is the steeper part of a slope.
    if (level.step < 0.6 * level.spread) continue;
    const double apart = level.beyond - level.within;
    const double step = std::min({least, level.step, apart});
    const bool clear = step >= least_step && least >= smallest_step && apart >= smallest_step;
    if ((share >= most_divide || places) && clear) {
      result.level = std::move(level);
      result.runner_up = 0;
    } else {
      result.runner_up = std::max(result.runner_up, step);
    }
  }
}

}  // namespace

Selection innermost_level(const Distances& distances) {
  Selection result;
  const auto n = static_cast<std::size_t>(distances.size());
  Group everything(n);
  std::iota(everything.begin(), everything.end(), 0);
  result.level.groups = {everything};
  Candidates candidates = candidate_levels(distances);
  select(candidates.seen, n, result);
  if (!result.level.found()) select(candidates.inferred, n, result);
  return result;
}

}  // namespace charm::probe
