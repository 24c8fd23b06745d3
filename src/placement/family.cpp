#include "placement/family.hpp"

#include <algorithm>
#include <utility>

#include "placement/apportion.hpp"

namespace charm::placement {

int least_level(std::span<const Bin> order, int workers) {
  int level = 0;
  std::size_t room = 0;
  while (room < static_cast<std::size_t>(workers)) room += order[static_cast<std::size_t>(level++)].worker_cores.size();
  return level;
}

std::vector<int> doubling_levels(std::span<const Bin> order, int workers) {
  // Doubling keeps neighbours together: at 16 workers on eight chiplets all eight pairs stay, single steps split three.
  int whole = std::min(static_cast<int>(order.size()), workers);
  std::vector<int> levels{least_level(order, workers)};
  for (int level = 1; level < whole; level *= 2) {
    if (level > levels.back()) levels.push_back(level);
  }
  if (whole > levels.back()) levels.push_back(whole);
  return levels;
}

Family build_family(std::span<const Bin> order, int workers, std::span<const int> levels) {
  // Decided over all bins, not over those of a level: weights that change with the level would not be monotone.
  bool equal = std::any_of(order.begin(), order.end(), [](const Bin& bin) { return bin.weight == 0; });
  std::vector<Claimant> claimants;
  for (const Bin& bin : order) claimants.push_back({equal ? 1 : bin.weight, static_cast<int>(bin.worker_cores.size())});

  Family family;
  std::vector<std::vector<int>> lists(order.size());  // workers of a chiplet; position i is on its i-th core
  std::vector<int> movers(static_cast<std::size_t>(workers));
  for (int w = 0; w < workers; ++w) movers[static_cast<std::size_t>(w)] = w;

  std::size_t used = 0;
  std::vector<WorkerCore> now(static_cast<std::size_t>(workers));
  for (int level : levels) {
    auto loads = apportion(std::span(claimants).first(static_cast<std::size_t>(level)), workers);
    for (std::size_t c = 0; c < used; ++c) {
      auto stay = lists[c].begin() + loads[c];
      movers.insert(movers.end(), stay, lists[c].end());
      lists[c].erase(stay, lists[c].end());
    }
    auto next = movers.begin();
    for (std::size_t c = used; c < loads.size(); ++c) {
      for (int k = 0; k < loads[c]; ++k, ++next) {
        lists[c].push_back(*next);
        now[static_cast<std::size_t>(*next)] = order[c].worker_cores[static_cast<std::size_t>(k)];
      }
    }
    movers.clear();
    used = loads.size();
    family.levels.push_back(level);
    family.worker_cores.push_back(now);
  }
  return family;
}

namespace {

int chiplets_of(const std::vector<WorkerCore>& row) {
  std::vector<int> chiplets;
  for (const WorkerCore& worker_core : row) chiplets.push_back(worker_core.chiplet);
  std::sort(chiplets.begin(), chiplets.end());
  return static_cast<int>(std::unique(chiplets.begin(), chiplets.end()) - chiplets.begin());
}

}  // namespace

Placement combine(const std::vector<Family>& families, int start) {
  std::size_t steps = 0;
  for (const Family& family : families) steps = std::max(steps, family.levels.size());

  std::vector<int> levels;
  std::vector<std::vector<WorkerCore>> worker_cores;
  for (std::size_t step = 0; step < steps; ++step) {
    std::vector<WorkerCore> row;
    for (const Family& family : families) {
      std::size_t at = std::min(step, family.levels.size() - 1);
      row.insert(row.end(), family.worker_cores[at].begin(), family.worker_cores[at].end());
    }
    const int level = chiplets_of(row);
    // Families of two kinds of cores may be on the same chiplets: a step that enters no chiplet is no level.
    if (!levels.empty() && level == levels.back()) {
      worker_cores.back() = std::move(row);
      continue;
    }
    levels.push_back(level);
    worker_cores.push_back(std::move(row));
  }
  return {std::move(levels), std::move(worker_cores), start};
}

}  // namespace charm::placement
