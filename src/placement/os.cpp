// os: nothing is bound; the operating system's scheduler moves the workers as it likes. The baseline of all baselines.
#include <algorithm>

#include "placement/bins.hpp"
#include "placement/policies.hpp"

namespace charm::placement {
namespace {

Placement place(const Machine& machine, const Request& request) {
  seated_workers(machine, request);  // unbound workers are not to outnumber the cores unasked either
  int chiplets = std::max(1, static_cast<int>(machine.chiplets.size()));
  return {{chiplets}, {std::vector<Seat>(static_cast<std::size_t>(request.workers))}, chiplets};
}

}  // namespace

constinit const Policy os_policy{"os", "not bound: the operating system places the workers", place};

}  // namespace charm::placement
