#include "placement/apportion.hpp"

#include <cstddef>

namespace charm::placement {
namespace {

/// Cross-multiplied to stay exact: rounding a quotient could break a tie differently at two levels.
bool claims_more(std::uint64_t weight, int load, std::uint64_t best_weight, int best_load) {
  if ((load == 0) != (best_load == 0)) return load == 0;
  __extension__ using Wide = unsigned __int128;
  return static_cast<Wide>(weight) * static_cast<unsigned>(best_load + 1) >
         static_cast<Wide>(best_weight) * static_cast<unsigned>(load + 1);
}

}  // namespace

std::vector<int> apportion(std::span<const Claimant> chiplets, int workers) {
  std::vector<int> loads(chiplets.size(), 0);
  for (int placed = 0; placed < workers; ++placed) {
    std::size_t best = chiplets.size();
    for (std::size_t c = 0; c < chiplets.size(); ++c) {
      if (loads[c] >= chiplets[c].capacity) continue;
      if (best == chiplets.size() || claims_more(chiplets[c].weight, loads[c], chiplets[best].weight, loads[best])) {
        best = c;
      }
    }
    ++loads[best];
  }
  return loads;
}

}  // namespace charm::placement
