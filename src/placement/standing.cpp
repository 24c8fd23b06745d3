#include "placement/standing.hpp"

#include <set>

#include "placement/policy.hpp"

namespace charm::placement {
namespace {

double cache_of(const Machine& machine, const std::vector<WorkerCore>& worker_cores) {
  std::set<int> chiplets;
  for (const WorkerCore& worker_core : worker_cores) chiplets.insert(worker_core.chiplet);
  double bytes = 0;
  for (const int chiplet : chiplets) {
    if (chiplet >= 0) bytes += static_cast<double>(machine.chiplets[static_cast<std::size_t>(chiplet)].l3_bytes);
  }
  return bytes;
}

}  // namespace

Standing standing_for(const Machine& machine, const Request& request, double bytes) {
  Request wanted = request;
  wanted.spread = 0;
  const SocketOrder few = request.sockets == SocketOrder::balance ? SocketOrder::balance : SocketOrder::fill;
  Standing widest{few, 0};
  for (const SocketOrder sockets : {few, SocketOrder::balance}) {
    wanted.sockets = sockets;
    const Placement family = policy("local").place(machine, wanted);
    for (std::size_t at = 0; at < family.levels.size(); ++at) {
      if (family.levels[at] <= widest.spread) continue;
      widest = {sockets, family.levels[at]};
      if (bytes <= cache_of(machine, family.worker_cores[at])) return widest;
    }
  }
  return widest;
}

}  // namespace charm::placement
