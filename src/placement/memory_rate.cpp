#include "placement/memory_rate.hpp"

#include <cmath>

namespace charm::placement {

long memory_rate(const Machine& machine, int node) {
  const auto& measured = machine.measured.node_gb_per_s;
  const auto own = static_cast<std::size_t>(node);
  if (!machine.measured.doubts.empty() || node < 0 || own >= measured.size() || own >= measured[own].size()) return 0;
  const double gb_per_s = measured[own][own];
  return gb_per_s > 0 ? std::lround(100 + 4 * std::log2(gb_per_s)) : 0;
}

}  // namespace charm::placement
