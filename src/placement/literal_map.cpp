#include "placement/literal_map.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <utility>

#include "placement/policies.hpp"

namespace charm::placement {

Placement literal_map(const Machine& machine, const Request& request) {
  std::vector<int> levels;
  std::vector<std::vector<WorkerCore>> worker_cores;
  const int chiplets = std::max(1, static_cast<int>(machine.chiplets.size()));
  for (int spread = 1; spread <= chiplets; ++spread) {
    Request at = request;
    at.spread = spread;
    try {
      worker_cores.push_back(literal_policy.place(machine, at).start());
      levels.push_back(spread);
    } catch (const Error& error) {
      if (error.code() != Errc::refused || (spread == chiplets && levels.empty())) throw;
    }
  }
  return {std::move(levels), std::move(worker_cores), request.spread};
}

}  // namespace charm::placement
