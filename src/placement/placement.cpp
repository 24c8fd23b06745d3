#include "placement/placement.hpp"

#include <utility>

namespace charm::placement {

Placement::Placement(std::vector<int> level_list, std::vector<std::vector<WorkerCore>> core_table, int start)
    : levels(std::move(level_list)), worker_cores(std::move(core_table)) {
  level_table.reserve(static_cast<std::size_t>(levels.back()) + 1);
  std::uint16_t index = 0;
  for (int spread = 0; spread <= levels.back(); ++spread) {
    while (index + 1U < levels.size() && levels[index + 1U] <= spread) ++index;
    level_table.push_back(index);
  }
  initial = level_index(start);
}

}  // namespace charm::placement
