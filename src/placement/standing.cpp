#include "placement/standing.hpp"

#include <set>

namespace charm::placement {

int standing_level(const Machine& machine, const Placement& placement, double bytes) {
  for (std::size_t at = 0; at < placement.levels.size(); ++at) {
    std::set<int> chiplets;
    for (const WorkerCore& worker_core : placement.worker_cores[at]) chiplets.insert(worker_core.chiplet);
    double cache = 0;
    for (const int chiplet : chiplets) {
      if (chiplet >= 0) cache += static_cast<double>(machine.chiplets[static_cast<std::size_t>(chiplet)].l3_bytes);
    }
    if (bytes <= cache) return placement.levels[at];
  }
  return placement.levels.back();
}

}  // namespace charm::placement
