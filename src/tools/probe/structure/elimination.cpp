#include "tools/probe/structure/elimination.hpp"

#include <algorithm>
#include <cstddef>

namespace charm::probe {
namespace {

bool never_met(const LatencyMatrix& matrix, int row, const std::vector<int>& group) {
  return std::none_of(group.begin(), group.end(), [&](int other) { return matrix.measured(row, other); });
}

}  // namespace

int place_unmeasured_rows(const LatencyMatrix& matrix, Partition& chiplets) {
  const std::size_t usual = commonest_size(chiplets);
  int placed = 0;
  for (std::size_t single = 0; single < chiplets.size(); ++single) {
    if (chiplets[single].size() != 1 || usual < 3) continue;
    const int row = chiplets[single][0];
    std::vector<std::size_t> open;
    for (std::size_t g = 0; g < chiplets.size(); ++g) {
      if (chiplets[g].size() > 1 && never_met(matrix, row, chiplets[g])) open.push_back(g);
    }
    if (open.size() > 1) std::erase_if(open, [&](std::size_t g) { return chiplets[g].size() + 1 != usual; });
    if (open.size() != 1) continue;
    chiplets[open[0]].push_back(row);
    std::sort(chiplets[open[0]].begin(), chiplets[open[0]].end());
    chiplets[single].clear();
    ++placed;
  }
  std::erase_if(chiplets, [](const auto& group) { return group.empty(); });
  std::sort(chiplets.begin(), chiplets.end());
  return placed;
}

}  // namespace charm::probe
