#include "probe/refine.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "probe/grouping.hpp"
#include "probe/settle.hpp"

namespace charm::probe {
namespace {

// Of the way from a group's inside to its nearest outsiders: nearer than this is inside. Noise moves medians of blocks
// by far less, and a real level of its own lies beyond.
constexpr double inside = 0.4;
// A group divides only where its parts are apart by most of what the level's groups are apart.
constexpr double like_the_others = 0.6;
constexpr int most_rounds = 4;

double median_of_block(const Distances& d, const Group& a, const Group& b) {
  std::vector<double> values;
  for (int i : a) {
    for (int j : b) {
      if (i != j && !std::isnan(distance(d, i, j))) values.push_back(distance(d, i, j));
    }
  }
  return quantile(values, 0.5);
}

/// A group's inside and the distance of its nearest outsiders, by medians.
struct Reach {
  double within = unknown_distance, beyond = unknown_distance;
  [[nodiscard]] bool known() const { return !std::isnan(within) && !std::isnan(beyond) && beyond > within; }
  [[nodiscard]] bool holds(double value) const { return known() && value < within + inside * (beyond - within); }
};

/// \param most how far the level's groups usually are apart: outsiders farther off than that say nothing more.
Reach reach_of(const Distances& d, const Group& group, double most) {
  Surroundings around = surroundings_of(d, group);
  const double within = quantile(around.within, 0.5);
  const double beyond = quantile(around.beyond, 0.5);
  return {within, beyond > within + most ? within + most : beyond};
}

Distances part_of(const Distances& d, const Group& items) {
  Distances own(items.size(), std::vector<double>(items.size(), unknown_distance));
  for (std::size_t a = 0; a < items.size(); ++a) {
    for (std::size_t b = 0; b < items.size(); ++b) own[a][b] = distance(d, items[a], items[b]);
  }
  return own;
}

/// The innermost groups of some items alone; empty where they show none.
std::vector<Group> groups_within(const Distances& d, const Group& items, const Splitter& split, Level& seen) {
  seen = split(part_of(d, items)).level;
  std::vector<Group> groups;
  if (!seen.found()) return groups;
  for (const auto& part : seen.groups) {
    Group rows;
    for (int at : part) rows.push_back(items[static_cast<std::size_t>(at)]);
    groups.push_back(std::move(rows));
  }
  return groups;
}

/// How far groups of this level are apart: what all but the quarter that is least apart reach.
double usual_gap(const Distances& d, const Level& level) {
  std::vector<double> gaps;
  for (const auto& group : level.groups) {
    const Reach reach = reach_of(d, group, std::numeric_limits<double>::infinity());
    if (reach.known()) gaps.push_back(reach.beyond - reach.within);
  }
  return quantile(gaps, 0.25);
}

/// A group and what it falls apart into on its own.
struct Division {
  Level seen;
  std::vector<Group> parts;
  bool shown = false;  // at least two groups, and few items left over
};

Division division_of(const Distances& d, const Group& group, const Splitter& split) {
  Division division;
  if (group.size() < 4) return division;
  division.parts = groups_within(d, group, split, division.seen);
  const auto lone = static_cast<std::size_t>(
      std::count_if(division.parts.begin(), division.parts.end(), [](const Group& g) { return g.size() == 1; }));
  division.shown = division.parts.size() >= 2 + lone && 4 * lone <= group.size();
  return division;
}

/// Whether (nearly) all groups fall apart in the same way: then that is the level, however small its step is beside
/// the one around them. One or two groups may do so by chance.
bool all_alike(const std::vector<Division>& divisions) {
  std::vector<double> within;
  for (const auto& division : divisions) {
    if (division.shown && division.seen.step >= smallest_step) within.push_back(division.seen.within);
  }
  if (within.size() < 3 || 5 * within.size() < 4 * divisions.size()) return false;
  return quantile(within, 0.9) - quantile(within, 0.1) < std::log(1.25);
}

bool split_coarse(const Distances& d, Level& level, const Splitter& split) {
  const double apart = usual_gap(d, level);
  if (!(apart > 0)) return false;
  std::vector<Division> divisions;
  for (const auto& group : level.groups) divisions.push_back(division_of(d, group, split));
  const bool alike = all_alike(divisions);
  std::vector<Group> groups;
  bool changed = false;
  for (std::size_t g = 0; g < divisions.size(); ++g) {
    const Level& seen = divisions[g].seen;
    const bool like_others = seen.beyond - seen.within >= like_the_others * apart && seen.step >= apart / 2;
    if (divisions[g].shown && (alike || like_others)) {
      changed = true;
      groups.insert(groups.end(), divisions[g].parts.begin(), divisions[g].parts.end());
    } else {
      groups.push_back(level.groups[g]);
    }
  }
  level.groups = std::move(groups);
  return changed;
}

/// Items that stand alone may be groups of their own kind, of a socket whose latencies are all raised.
bool gather_singles(const Distances& d, Level& level, const Splitter& split) {
  Group alone;
  for (const auto& group : level.groups) {
    if (group.size() == 1) alone.push_back(group[0]);
  }
  const double apart = usual_gap(d, level);
  if (alone.size() < 2 || !(apart > 0)) return false;
  Level seen;
  std::vector<Group> parts;
  if (alone.size() > 2) parts = groups_within(d, alone, split, seen);
  if (parts.empty()) parts = {alone};
  bool changed = false;
  for (const auto& part : parts) {
    if (part.size() < 2 || !(step_of(d, part) >= like_the_others * apart)) continue;
    std::erase_if(level.groups, [&](const Group& g) {
      return g.size() == 1 && std::find(part.begin(), part.end(), g[0]) != part.end();
    });
    level.groups.push_back(part);
    changed = true;
  }
  return changed;
}

/// Groups with what is known between each two of them, kept while they are joined.
class Pieces {
 public:
  Pieces(const Distances& d, std::vector<Group>& groups, double apart) : d_(d), groups_(groups), apart_(apart) {
    for (const auto& group : groups_) reach_.push_back(reach_of(d_, group, apart_));
    between_.assign(groups_.size(), std::vector<double>(groups_.size(), unknown_distance));
    for (std::size_t a = 0; a < groups_.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) between_[a][b] = between_[b][a] = median_of_block(d_, groups_[a], groups_[b]);
    }
  }

  /// Joins the two that are nearest to each other for what they are; false where no two belong together.
  bool join() {
    std::size_t best_a = 0;
    std::size_t best_b = 0;
    double best = inside;
    for (std::size_t a = 0; a < groups_.size(); ++a) {
      for (std::size_t b = 0; b < groups_.size(); ++b) {
        const double way = a == b ? unknown_distance : way_into(a, b);
        if (!std::isnan(way) && way < best) best = way, best_a = a, best_b = b;
      }
    }
    if (best_a == best_b) return false;
    Group& into = groups_[best_a];
    into.insert(into.end(), groups_[best_b].begin(), groups_[best_b].end());
    std::sort(into.begin(), into.end());
    remove(best_b);
    const std::size_t joined = best_a - (best_b < best_a ? 1 : 0);
    reach_[joined] = reach_of(d_, groups_[joined], apart_);
    for (std::size_t other = 0; other < groups_.size(); ++other) {
      if (other != joined)
        between_[other][joined] = between_[joined][other] = median_of_block(d_, groups_[joined], groups_[other]);
    }
    return true;
  }

 private:
  /// Of the way from a's inside to its nearest outsiders, how far b is; NaN where b is no piece of a.
  [[nodiscard]] double way_into(std::size_t a, std::size_t b) const {
    const std::size_t size = groups_[a].size();
    const std::size_t other = groups_[b].size();
    // The larger one knows what its inside is like; a piece may have been cut out because its pairs are fast.
    const bool judge = size >= other && size >= (other == 1 ? 2U : 3U);
    const double value = between_[a][b];
    if (!judge || !reach_[a].known() || std::isnan(value)) return unknown_distance;
    // Two that are alike in size are two groups unless the smaller one agrees.
    if (2 * other >= size && !reach_[b].holds(value)) return unknown_distance;
    return (value - reach_[a].within) / std::max(reach_[a].beyond - reach_[a].within, smallest_step);
  }

  void remove(std::size_t at) {
    const auto offset = static_cast<std::ptrdiff_t>(at);
    groups_.erase(groups_.begin() + offset);
    reach_.erase(reach_.begin() + offset);
    between_.erase(between_.begin() + offset);
    for (auto& row : between_) row.erase(row.begin() + offset);
  }

  const Distances& d_;
  std::vector<Group>& groups_;
  double apart_;
  std::vector<Reach> reach_;
  std::vector<std::vector<double>> between_;
};

bool join_pieces(const Distances& d, Level& level) {
  const double apart = usual_gap(d, level);
  if (!(apart > 0)) return false;
  Pieces pieces(d, level.groups, apart);
  bool changed = false;
  while (level.groups.size() > 2 && pieces.join()) changed = true;
  return changed;
}

/// Moves items that are outside of their own group and inside of another one.
bool move_strays(const Distances& d, Level& level) {
  const double apart = usual_gap(d, level);
  if (!(apart > 0)) return false;
  std::vector<Reach> reach;
  for (const auto& group : level.groups) reach.push_back(reach_of(d, group, apart));
  bool changed = false;
  for (std::size_t from = 0; from < level.groups.size(); ++from) {
    for (int item : Group(level.groups[from])) {
      const double own = median_between(d, item, level.groups[from]);
      if (level.groups[from].size() > 1 && (std::isnan(own) || reach[from].holds(own))) continue;
      std::size_t best = from;
      double best_way = std::isnan(own) ? unknown_distance : own;
      for (std::size_t to = 0; to < level.groups.size(); ++to) {
        if (to == from || level.groups[to].size() < 3) continue;
        const double way = median_between(d, item, level.groups[to]);
        if (reach[to].holds(way) && !(way >= best_way)) best = to, best_way = way;
      }
      if (best == from) continue;
      std::erase(level.groups[from], item);
      level.groups[best].push_back(item);
      std::sort(level.groups[best].begin(), level.groups[best].end());
      changed = true;
    }
  }
  std::erase_if(level.groups, [](const Group& g) { return g.empty(); });
  return changed;
}

int moved_items(const std::vector<Group>& before, const std::vector<Group>& after, std::size_t n) {
  std::vector<std::size_t> of(n, 0);
  for (std::size_t g = 0; g < before.size(); ++g) {
    for (int i : before[g]) of[static_cast<std::size_t>(i)] = g;
  }
  int moved = 0;
  for (const auto& group : after) {
    const bool same = before[of[static_cast<std::size_t>(group[0])]] == group;
    if (!same) moved += static_cast<int>(group.size());
  }
  return moved;
}

}  // namespace

int refine(const Distances& distances, Level& level, const Splitter& split) {
  if (!level.found()) return 0;
  const std::vector<Group> before = level.groups;
  for (int round = 0; round < most_rounds; ++round) {
    const bool divided = split_coarse(distances, level, split);
    const bool gathered = gather_singles(distances, level, split);
    const bool joined = join_pieces(distances, level);
    const bool moved = move_strays(distances, level);
    if (!divided && !gathered && !joined && !moved) break;
    std::sort(level.groups.begin(), level.groups.end());
    if (std::find(level.groups.begin(), level.groups.end(), level.leftovers) == level.groups.end())
      level.leftovers.clear();
    describe(distances, level);
  }
  std::sort(level.groups.begin(), level.groups.end());
  return moved_items(before, level.groups, distances.size());
}

}  // namespace charm::probe
