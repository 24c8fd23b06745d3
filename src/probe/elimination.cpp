#include "probe/elimination.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <utility>

namespace charm::probe {
namespace {

using Pairs = std::vector<std::pair<int, int>>;
constexpr std::size_t most_to_match = 10;  // beyond it too much is missing to infer anything

/// How differently two threads see everybody else; siblings sit in one place and see the same.
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
  Pairs pairs;
  double cost = std::numeric_limits<double>::infinity();
  int ways = 0;
};

/// All ways to pair `open` up through pairs that were not measured; keeps the one of least cost.
void match(const LatencyMatrix& matrix, std::vector<int> open, Pairs& so_far, double cost, Matching& best) {
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

std::size_t usual_size(const Partition& groups) {
  std::map<std::size_t, int> sizes;
  for (const auto& group : groups) ++sizes[group.size()];
  return std::max_element(sizes.begin(), sizes.end(), [](auto& a, auto& b) { return a.second < b.second; })->first;
}

bool never_met(const LatencyMatrix& matrix, int row, const std::vector<int>& group) {
  return std::none_of(group.begin(), group.end(), [&](int other) { return matrix.measured(row, other); });
}

}  // namespace

int place_lost_rows(const LatencyMatrix& matrix, Partition& chiplets) {
  const std::size_t usual = usual_size(chiplets);
  int placed = 0;
  for (std::size_t lost = 0; lost < chiplets.size(); ++lost) {
    if (chiplets[lost].size() != 1 || usual < 3) continue;
    const int row = chiplets[lost][0];
    std::vector<std::size_t> open;
    for (std::size_t g = 0; g < chiplets.size(); ++g) {
      if (chiplets[g].size() > 1 && never_met(matrix, row, chiplets[g])) open.push_back(g);
    }
    if (open.size() > 1) std::erase_if(open, [&](std::size_t g) { return chiplets[g].size() + 1 != usual; });
    if (open.size() != 1) continue;
    chiplets[open[0]].push_back(row);
    std::sort(chiplets[open[0]].begin(), chiplets[open[0]].end());
    chiplets[lost].clear();
    ++placed;
  }
  std::erase_if(chiplets, [](const auto& group) { return group.empty(); });
  std::sort(chiplets.begin(), chiplets.end());
  return placed;
}

Siblings infer_siblings(const LatencyMatrix& matrix, Partition& cores, const Partition& chiplets) {
  Siblings result;
  const std::size_t usual = usual_size(cores);
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
    Pairs pairs;
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
