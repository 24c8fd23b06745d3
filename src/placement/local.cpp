// local: as few chiplets as hold the workers, so that what they share stays in one cache (LocalCache, CHARM §2.3). The
// levels above are there for whoever wants to spread later.
#include "placement/bins.hpp"
#include "placement/policies.hpp"

namespace charm::placement {
namespace {

Placement place(const Machine& machine, const Request& request) {
  int seated = seated_workers(machine, request);
  return share_seats(combine(socket_families(machine, request, seated), request.spread), request.workers);
}

}  // namespace

constinit const Policy local_policy{"local", "the fewest chiplets that hold the workers", place};

}  // namespace charm::placement
