// distributed: all chiplets, so that every worker has as much cache and bandwidth of its own as there is
// (DistributedCache, CHARM §2.3). All chiplets of the sockets that the workers enter: `fill` stays inside of one while
// it has a free core (`widen` as well, since this policy does not move workers), `balance` uses every socket.
#include <utility>

#include "placement/bins.hpp"
#include "placement/policies.hpp"

namespace charm::placement {
namespace {

Placement place_distributed(const Machine& machine, const Request& request) {
  int placed = placed_workers(machine, request);
  Request entered = request;
  if (entered.sockets == SocketOrder::widen) entered.sockets = SocketOrder::fill;
  Placement placement = combine(socket_families(machine, entered, placed), request.spread);
  if (request.spread == 0) placement.initial = static_cast<int>(placement.levels.size()) - 1;
  return share_worker_cores(std::move(placement), request.workers);
}

}  // namespace

constinit const PlacementPolicy distributed_policy{
    "distributed", "all chiplets, the workers spread evenly over their caches", place_distributed};

}  // namespace charm::placement
