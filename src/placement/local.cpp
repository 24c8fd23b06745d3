// local: as few chiplets as hold the workers, so that the data that they share stays in one cache (LocalCache, CHARM
// §2.3). It has higher levels for controllers that spread the workers later.
#include "placement/bins.hpp"
#include "placement/policies.hpp"

namespace charm::placement {
namespace {

Placement place_local(const Machine& machine, const Request& request) {
  int placed = placed_workers(machine, request);
  return share_worker_cores(combine(socket_families(machine, request, placed), request.spread), request.workers);
}

}  // namespace

constinit const PlacementPolicy local_policy{"local", "the fewest chiplets that hold the workers", place_local};

}  // namespace charm::placement
