#include "placement/literal_map.hpp"

#include <charm/error.hpp>

#include <utility>

#include "placement/bins.hpp"
#include "placement/policies.hpp"

namespace charm::placement {

Placement literal_map(const Machine& machine, const Request& request) {
  placed_workers(machine, request);
  std::vector<int> levels{1};
  std::vector<std::vector<WorkerCore>> worker_cores{literal_cores(machine, request.workers, 1)};
  for (int spread = 2; spread <= static_cast<int>(machine.chiplets.size()); ++spread) {
    Request at = request;
    at.spread = spread;
    try {
      worker_cores.push_back(literal_policy.place(machine, at).start());
      levels.push_back(spread);
    } catch (const Error& error) {
      if (error.code() != Errc::refused) throw;
    }
  }
  return {std::move(levels), std::move(worker_cores), request.spread};
}

}  // namespace charm::placement
