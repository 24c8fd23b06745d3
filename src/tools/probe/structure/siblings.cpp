#include "tools/probe/structure/siblings.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace charm::probe {
namespace {

constexpr double sibling_ns = 14;  // what siblings take at most
constexpr double cores_ns = 60;    // what two cores usually take
constexpr double most_pair_ns = 16;
constexpr double most_step_of_threads = 2.6;  // from siblings that are slow to the next core of their chiplet

struct NearestPair {
  int a, b;
  double distance, gap;  // gap: how much farther the nearest other item of either one is
};

/// All pairs of items that are each other's nearest.
std::vector<NearestPair> nearest_pairs(const Distances& d) {
  const int n = d.size();
  std::vector<int> nearest(static_cast<std::size_t>(n), -1);
  std::vector<double> first(static_cast<std::size_t>(n), unknown_distance), second = first;
  for (int i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    for (int j = 0; j < n; ++j) {
      if (!d.known(i, j)) continue;
      const double value = d.at(i, j);
      if (!(value >= first[at])) {
        second[at] = first[at], first[at] = value, nearest[at] = j;
      } else if (!(value >= second[at])) {
        second[at] = value;
      }
    }
  }
  std::vector<NearestPair> pairs;
  for (int i = 0; i < n; ++i) {
    const auto a = static_cast<std::size_t>(i);
    if (nearest[a] <= i || nearest[static_cast<std::size_t>(nearest[a])] != i) continue;
    const auto b = static_cast<std::size_t>(nearest[a]);
    pairs.push_back({i, nearest[a], first[a], std::min(second[a], second[b]) - first[a]});
  }
  return pairs;
}

using Matched = std::vector<std::pair<int, int>>;
constexpr std::size_t most_to_match = 10;  // beyond it too much is missing to infer anything

/// How much the distances of two threads to all others differ; siblings have the same distances.
double difference(const LatencyMatrix& matrix, int a, int b) {
  double sum = 0;
  int count = 0;
  for (int k = 0; k < matrix.rows(); ++k) {
    if (k == a || k == b || !matrix.measured(a, k) || !matrix.measured(b, k)) continue;
    sum += std::min(0.5, std::abs(std::log(matrix.at(a, k) / matrix.at(b, k))));
    ++count;
  }
  return count == 0 ? 0.5 : sum / count;
}

struct Matching {
  Matched pairs;
  double cost = std::numeric_limits<double>::infinity();
  int ways = 0;
};

/// All ways to pair `open` up through pairs that were not measured; keeps the one of least cost.
void match(const LatencyMatrix& matrix, std::vector<int> open, Matched& so_far, double cost, Matching& best) {
  if (open.empty()) {
    ++best.ways;
    if (cost < best.cost) best.cost = cost, best.pairs = so_far;
    return;
  }
  const int first = open.back();
  open.pop_back();
  for (std::size_t k = 0; k < open.size(); ++k) {
    if (matrix.measured(first, open[k])) continue;
    std::vector<int> rest = open;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
    so_far.emplace_back(first, open[k]);
    match(matrix, rest, so_far, cost + difference(matrix, first, open[k]), best);
    so_far.pop_back();
  }
}

}  // namespace

double sibling_score(const Level& level) {
  std::size_t largest = 0;
  for (const auto& group : level.groups) largest = std::max(largest, group.size());
  if (!level.found() || largest < 2 || largest > 8) return -10;
  // Cores have two, four or eight threads.
  const std::size_t usual = usual_size(level.groups);
  if ((usual & (usual - 1)) != 0) return -10;
  const double own = std::exp(level.within);
  const double next = std::exp(level.beyond);
  return 8 * std::log(sibling_ns / own) + std::clamp(3 * std::log(cores_ns / next), -1.2, 1.2);
}

bool may_be_cores(const Level& level) {
  if (sibling_score(level) <= -10) return false;
  const std::size_t usual = usual_size(level.groups);
  return usual == 2 || (usual == 4 && level.beyond - level.within < std::log(most_step_of_threads));
}

Partition separate_pairs(const Distances& d) {
  Partition groups;
  std::vector<bool> paired(static_cast<std::size_t>(d.size()), false);
  for (const NearestPair& pair : nearest_pairs(d)) {
    if (!(pair.gap > std::log(1.5)) || pair.distance > std::log(most_pair_ns)) continue;
    groups.push_back({pair.a, pair.b});
    paired[static_cast<std::size_t>(pair.a)] = paired[static_cast<std::size_t>(pair.b)] = true;
  }
  if (10 * static_cast<int>(groups.size()) < d.size()) return {};
  for (int i = 0; i < d.size(); ++i) {
    if (!paired[static_cast<std::size_t>(i)]) groups.push_back({i});
  }
  std::sort(groups.begin(), groups.end());
  return groups;
}

double share_in_pairs(const Distances& d, double least) {
  const auto pairs = nearest_pairs(d);
  const auto clear =
      std::count_if(pairs.begin(), pairs.end(), [&](const NearestPair& pair) { return pair.gap > least; });
  return d.size() == 0 ? 0 : 2 * static_cast<double>(clear) / d.size();
}

InferredSiblings infer_siblings(const LatencyMatrix& matrix, Partition& cores, const Partition& chiplets) {
  InferredSiblings result;
  const std::size_t usual = commonest_size(cores);
  if (usual < 2) return result;

  std::size_t still_single = 0;
  for (const auto& chiplet : chiplets) {
    std::vector<int> open;
    std::vector<std::vector<int>*> short_cores;
    for (auto& core : cores) {
      if (!std::binary_search(chiplet.begin(), chiplet.end(), core[0])) continue;
      if (core.size() == 1) open.push_back(core[0]);
      if (core.size() > 1 && core.size() < usual) short_cores.push_back(&core);
    }
    if (open.empty()) continue;
    Matched pairs;
    int ways = 0;
    if (usual == 2 && open.size() % 2 == 0 && open.size() <= most_to_match) {
      Matching matching;
      match(matrix, open, pairs, 0, matching);
      ways = matching.ways;
      pairs = matching.pairs;
      if (ways == 0 && open.size() == 2) ways = 1, pairs = {{open[0], open[1]}};  // their measurement was disturbed
    } else if (open.size() == 1 && short_cores.size() == 1) {
      ways = 1;
      pairs = {{short_cores[0]->front(), open[0]}};
    }
    if (ways == 0) {
      still_single += open.size();
      continue;
    }
    if (ways > 1) result.sure = std::min(result.sure, 0.7);
    for (const auto& pair : pairs) {
      const int keep = pair.first;
      const int give = pair.second;
      std::erase_if(cores, [give](const auto& core) { return core.size() == 1 && core[0] == give; });
      const auto core = std::find_if(cores.begin(), cores.end(), [keep](const auto& c) { return c[0] == keep; });
      core->push_back(give);
      result.inferred += 2;
    }
  }
  if (result.inferred > 0) result.sure = std::min(result.sure, 0.9);
  if (still_single > 0) result.sure = std::min(result.sure, 0.7);
  return result;
}

}  // namespace charm::probe
