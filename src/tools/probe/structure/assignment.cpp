#include "tools/probe/structure/assignment.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace charm::probe {
namespace {

constexpr double most_alone = 0.25;
// A row of a slow core is far from all others. It still belongs where it sees this share of a level's step.
constexpr double own_step = 0.5;

/// Splits `items` into what hangs together by distances below `limit`, ordered by first item.
Partition components(const Distances& d, const Group& items, double limit) {
  std::vector<std::size_t> label(items.size());
  std::iota(label.begin(), label.end(), 0U);
  for (std::size_t a = 0; a < items.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (!(d.at(items[a], items[b]) < limit) || label[a] == label[b]) continue;
      const std::size_t from = label[a];
      std::replace(label.begin(), label.end(), from, label[b]);
    }
  }
  Partition parts(items.size());
  for (std::size_t a = 0; a < items.size(); ++a) parts[label[a]].push_back(items[a]);
  std::erase_if(parts, [](const Group& part) { return part.empty(); });
  return parts;
}

/// Among groups of one size an oversized one is several that a missing pair or a coarse timer glued together.
void split_oversized(const Distances& d, Partition& groups, Group& unassigned, std::size_t usual, double middle) {
  Partition split;
  for (const auto& group : groups) {
    const auto pieces = 2 * group.size() >= 3 * usual ? components(d, group, middle) : Partition{group};
    const bool fit = std::all_of(pieces.begin(), pieces.end(), [&](const Group& g) { return g.size() <= usual; });
    if (!fit || 2 * single_items(pieces) > group.size()) {
      split.push_back(group);
      continue;
    }
    for (const auto& piece : pieces) {
      if (piece.size() > 1) {
        split.push_back(piece);
      } else {
        unassigned.push_back(piece[0]);
      }
    }
  }
  if (!split.empty()) groups = std::move(split);
}

/// The groups that an item is nearest and second nearest to, by medians; groups.size() where none is known.
struct Nearest {
  std::size_t group, second;
  double to = unknown_distance, to_second = unknown_distance;
};

Nearest nearest_groups(const Distances& d, int item, const Partition& groups, std::size_t count) {
  Nearest nearest{count, count};
  for (std::size_t g = 0; g < count; ++g) {
    const double to = median_to(d, item, groups[g]);
    if (std::isnan(to)) continue;
    if (!(to >= nearest.to)) {
      nearest.second = nearest.group, nearest.to_second = nearest.to;
      nearest.group = g, nearest.to = to;
    } else if (!(to >= nearest.to_second)) {
      nearest.second = g, nearest.to_second = to;
    }
  }
  return nearest;
}

/// Moves items to the group that they are nearest to, where that is nearer than their own by most of the level's step.
void reassign(const Distances& d, Level& level) {
  const double apart = level.beyond - level.within;
  if (!(apart > 0)) return;
  const Partition before = level.groups;
  for (std::size_t from = 0; from < before.size(); ++from) {
    for (int item : before[from]) {
      const double own = median_to(d, item, before[from]);
      if (!(own > level.within + apart / 2)) continue;
      const Nearest nearest = nearest_groups(d, item, before, before.size());
      if (nearest.group == from || nearest.group == before.size() || before[nearest.group].size() < 2) continue;
      if (!(own - nearest.to > own_step * apart)) continue;
      std::erase(level.groups[from], item);
      level.groups[nearest.group].push_back(item);
    }
  }
  std::erase_if(level.groups, [](const Group& g) { return g.empty(); });
}

}  // namespace

std::optional<Level> assign_items(const Distances& d, Partition groups, const Group& outside) {
  Level level;
  const std::size_t usual = usual_size(groups);
  std::copy_if(groups.begin(), groups.end(), std::back_inserter(level.groups),
               [&](const Group& g) { return 2 * g.size() < 3 * usual; });
  describe(d, level);
  level.groups = std::move(groups);
  const double middle = (level.within + level.beyond) / 2;
  const double apart = level.beyond - level.within;
  double inferred = 0;
  Group unassigned = outside;
  split_oversized(d, level.groups, unassigned, usual, middle);
  const std::size_t seen = level.groups.size();

  Group alone;
  for (int item : unassigned) {
    const Nearest nearest = nearest_groups(d, item, level.groups, seen);
    // Threads of one core have no slow core among them: a pair takes only what is near.
    const bool near = nearest.to < middle || (usual > 2 && nearest.to_second - nearest.to > own_step * apart);
    if (nearest.group < seen && near) {
      level.groups[nearest.group].push_back(item);
    } else {
      alone.push_back(item);
    }
  }

  const auto parts = components(d, alone, middle);
  if (parts.size() - single_items(parts) > seen) return std::nullopt;  // the level is not seen at this step
  for (const auto& part : parts) {
    if (part.size() < 2) continue;
    for (int item : part) std::erase(alone, item);
    level.groups.push_back(part);
  }

  const bool all_that_is_left =
      alone.size() == usual || (seen == 1 && 3 * alone.size() >= 2 * usual && 2 * alone.size() <= 3 * usual);
  if (alone.size() >= 2 && all_that_is_left) {
    // Their lines were homed elsewhere, so that nothing is near to anything.
    std::sort(alone.begin(), alone.end());
    level.groups.push_back(alone);
    level.remainder = alone;
    inferred += static_cast<double>(alone.size());
  } else {
    for (int item : alone) level.groups.push_back({item});
    reassign(d, level);
  }
  for (auto& group : level.groups) std::sort(group.begin(), group.end());
  std::sort(level.groups.begin(), level.groups.end());
  describe(d, level);
  const auto singles = static_cast<double>(single_items(level.groups));
  if (singles > most_alone * d.size()) return std::nullopt;
  // A single item of its own is a strong claim where groups are large.
  if (usual > 2) inferred += singles;
  level.inferred_share = inferred / d.size();
  return level;
}

}  // namespace charm::probe
