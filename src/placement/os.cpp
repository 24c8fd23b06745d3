// os: workers are not bound, so the operating system's scheduler moves them. It is the baseline for all other policies.
#include <algorithm>

#include "placement/bins.hpp"
#include "placement/policies.hpp"

namespace charm::placement {
namespace {

Placement place_os(const Machine& machine, const Request& request) {
  placed_workers(machine, request);  // more unbound workers than cores is an error, too, unless it was asked for
  int chiplets = std::max(1, static_cast<int>(machine.chiplets.size()));
  return {{chiplets}, {std::vector<WorkerCore>(static_cast<std::size_t>(request.workers))}, chiplets};
}

}  // namespace

constinit const PlacementPolicy os_policy{"os", "not bound: the operating system places the workers", place_os};

}  // namespace charm::placement
