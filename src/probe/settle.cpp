#include "probe/settle.hpp"

#include <algorithm>
#include <numeric>

namespace charm::probe {
namespace {

constexpr double most_alone = 0.25;

}  // namespace

void describe(const Distances& d, Level& level) {
  std::vector<double> steps, within, beyond, spreads;
  for (const auto& group : level.groups) {
    if (group == level.leftovers) continue;
    Surroundings around = surroundings_of(d, group);
    if (around.within.size() > 2) spreads.push_back(quantile(around.within, 0.9) - quantile(around.within, 0.1));
    within.insert(within.end(), around.within.begin(), around.within.end());
    beyond.insert(beyond.end(), around.beyond.begin(), around.beyond.end());
    const double step = step_of(d, group);
    if (!std::isnan(step)) steps.push_back(step);
  }
  level.within = quantile(within, 0.5);
  level.beyond = quantile(beyond, 0.5);
  std::sort(steps.begin(), steps.end());
  level.step = steps.empty() ? 0 : steps[steps.size() / 10];
  level.spread = spreads.empty() ? 0 : quantile(spreads, 0.5);
}

namespace {

/// Splits `items` into what hangs together by distances below `limit`, ordered by first item.
std::vector<Group> components(const Distances& d, const Group& items, double limit) {
  std::vector<std::size_t> label(items.size());
  std::iota(label.begin(), label.end(), 0U);
  for (std::size_t a = 0; a < items.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      if (!(distance(d, items[a], items[b]) < limit) || label[a] == label[b]) continue;
      const std::size_t from = label[a];
      std::replace(label.begin(), label.end(), from, label[b]);
    }
  }
  std::vector<Group> parts;
  for (std::size_t l = 0; l < items.size(); ++l) {
    Group part;
    for (std::size_t a = 0; a < items.size(); ++a) {
      if (label[a] == l) part.push_back(items[a]);
    }
    if (!part.empty()) parts.push_back(std::move(part));
  }
  return parts;
}

/// Items that are each other's nearest in `alone`, clearly nearer than outsiders are: timers of coarse resolution make
/// ties that no common middle tells apart.
std::vector<Group> mutual_pairs(const Distances& d, const Group& alone, double limit) {
  const auto nearest = [&](int item) {
    int best = -1;
    for (int other : alone) {
      const double v = other == item ? unknown_distance : distance(d, item, other);
      if (!std::isnan(v) && (best < 0 || v < distance(d, item, best))) best = other;
    }
    return best;
  };
  std::vector<Group> pairs;
  for (int item : alone) {
    const int other = nearest(item);
    if (other > item && nearest(other) == item && distance(d, item, other) < limit) pairs.push_back({item, other});
  }
  return pairs;
}

/// A group's own notion of near: half way between its members' latencies to each other and to their nearest outsiders.
double reach_of(const Distances& d, const Group& group, const Level& level) {
  Surroundings around = surroundings_of(d, group);
  if (around.within.empty() || around.beyond.empty()) return (level.within + level.beyond) / 2;
  return (quantile(around.within, 0.5) + quantile(around.beyond, 0.5)) / 2;
}

/// Moves items that are far from their own group and near to another one; who is near to none goes alone.
void reassign(const Distances& d, Level& level) {
  for (int round = 0; round < 3; ++round) {
    std::vector<double> reach;
    for (const auto& group : level.groups) reach.push_back(reach_of(d, group, level));
    bool moved = false;
    const std::size_t before = level.groups.size();
    for (std::size_t from = 0; from < before; ++from) {
      for (int item : Group(level.groups[from])) {
        const double own = median_between(d, item, level.groups[from]) - reach[from];
        const bool single = level.groups[from].size() == 1;
        if (own < 0 || (std::isnan(own) && !single)) continue;
        std::size_t best = before;
        double best_score = 0;
        for (std::size_t g = 0; g < before; ++g) {
          if (g == from || level.groups[g].size() < 2) continue;
          const double score = median_between(d, item, level.groups[g]) - reach[g];
          if (score < best_score) best_score = score, best = g;
        }
        if (best == before && level.groups[from].size() < 3) continue;
        std::erase(level.groups[from], item);
        if (best == before) {
          level.groups.push_back({item});
        } else {
          level.groups[best].push_back(item);
        }
        moved = true;
      }
    }
    std::erase_if(level.groups, [](const Group& g) { return g.empty(); });
    if (!moved) return;
  }
}

/// Among groups of one size an oversized one is several that a missing pair or a coarse timer glued together.
void split_oversized(const Distances& d, std::vector<Group>& groups, Group& stragglers, std::size_t usual,
                     double middle) {
  std::vector<Group> split;
  for (const auto& group : groups) {
    const auto pieces = 2 * group.size() >= 3 * usual ? components(d, group, middle) : std::vector<Group>{group};
    const bool fit = std::all_of(pieces.begin(), pieces.end(), [&](const Group& g) { return g.size() <= usual; });
    const auto lone = static_cast<std::size_t>(
        std::count_if(pieces.begin(), pieces.end(), [](const Group& g) { return g.size() == 1; }));
    if (!fit || 2 * lone > group.size()) {
      split.push_back(group);
      continue;
    }
    for (const auto& piece : pieces) {
      if (piece.size() > 1) {
        split.push_back(piece);
      } else {
        stragglers.push_back(piece[0]);
      }
    }
  }
  if (!split.empty()) groups = std::move(split);
}

}  // namespace

std::optional<Level> settle(const Distances& d, std::vector<Group> groups, Group stragglers) {
  Level level;
  const std::size_t usual = usual_size(groups);
  std::copy_if(groups.begin(), groups.end(), std::back_inserter(level.groups),
               [&](const Group& g) { return 2 * g.size() < 3 * usual; });
  describe(d, level);
  level.groups = std::move(groups);
  const double middle = (level.within + level.beyond) / 2;
  double inferred = 0;
  split_oversized(d, level.groups, stragglers, usual, middle);
  const std::size_t seen = level.groups.size();

  Group alone;
  for (int item : stragglers) {
    double best = unknown_distance;
    std::size_t best_group = seen;
    for (std::size_t g = 0; g < seen; ++g) {
      const double near = median_between(d, item, level.groups[g]);
      if (!std::isnan(near) && !(near >= best)) best = near, best_group = g;
    }
    // A full pair takes no third while the item has a straggler that is as near.
    const bool has_partner = usual == 2 && std::any_of(stragglers.begin(), stragglers.end(), [&](int other) {
                               return other != item && distance(d, item, other) < best + smallest_step;
                             });
    if (!has_partner && best_group < seen && best < middle) {
      level.groups[best_group].push_back(item);
    } else {
      alone.push_back(item);
    }
  }

  const auto take = [&](const std::vector<Group>& parts, double weight) {
    for (const auto& part : parts) {
      if (part.size() < 2) continue;
      for (int item : part) std::erase(alone, item);
      level.groups.push_back(part);
      inferred += weight;
    }
  };
  const auto parts = components(d, alone, middle);
  const auto together = std::count_if(parts.begin(), parts.end(), [](const Group& g) { return g.size() > 1; });
  if (static_cast<std::size_t>(together) > seen) return std::nullopt;  // the level is not seen at this step
  take(parts, 0);
  if (usual == 2) take(mutual_pairs(d, alone, level.beyond - 2 * smallest_step), 0.25);

  for (auto& group : level.groups) std::sort(group.begin(), group.end());

  const bool all_that_is_left =
      alone.size() == usual || (seen == 1 && 3 * alone.size() >= 2 * usual && 2 * alone.size() <= 3 * usual);
  if (alone.size() >= 2 && all_that_is_left) {
    // Their lines were homed elsewhere, so that nothing is near to anything.
    std::sort(alone.begin(), alone.end());
    level.groups.push_back(alone);
    level.leftovers = alone;
    inferred += static_cast<double>(alone.size());
  } else {
    for (int item : alone) level.groups.push_back({item});
    reassign(d, level);
  }
  for (auto& group : level.groups) std::sort(group.begin(), group.end());
  std::sort(level.groups.begin(), level.groups.end());
  describe(d, level);
  const auto singles =
      std::count_if(level.groups.begin(), level.groups.end(), [](const Group& g) { return g.size() == 1; });
  if (static_cast<double>(singles) > most_alone * static_cast<double>(d.size())) return std::nullopt;
  // A single item of its own is a strong claim where groups are large.
  if (usual > 2) inferred += static_cast<double>(singles);
  level.doubt = inferred / static_cast<double>(d.size());
  return level;
}

}  // namespace charm::probe
