#include "tools/probe/structure/naming.hpp"

#include <algorithm>
#include <cmath>

namespace charm::probe {

/// Links between packages cost more than links inside, in time and (for chiplets with fast caches of their own) less in
/// proportion, and a machine has few sockets. The numbers are from machines measured in public.
Naming name_outermost(const Level& level, bool above_chiplets) {
  const double top = std::exp(level.beyond);
  const double ratio = std::isnan(level.within) ? 3.0 : std::exp(level.beyond - level.within);
  const double many = std::max(0.0, std::log2(static_cast<double>(level.groups.size())) - 1);
  const double score = above_chiplets ? 6 * std::log(top / 160) + 5 * std::log(ratio / 1.75) - 1.3 * many
                                      : 6 * std::log(top / 105) - 3 * std::log(ratio / 3) - 1.3 * many;
  const double odds = 1 / (1 + std::exp(-2 * std::abs(score)));
  return {score > 0, std::min(most_sure_of_names, odds)};
}

}  // namespace charm::probe
