#include "placement/standing.hpp"

#include <algorithm>
#include <cstddef>
#include <set>

#include "placement/placement_policy.hpp"

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

/// Whether more than half of the cores of the sockets that these workers are on stay free.
bool leave_most_free(const Machine& machine, const Request& request, const std::vector<WorkerCore>& worker_cores) {
  std::set<int> sockets;
  for (const WorkerCore& worker_core : worker_cores) sockets.insert(worker_core.socket);
  std::size_t places = 0;
  for (const Core& core : machine.cores) {
    if (sockets.contains(core.socket)) places += request.smt ? std::max<std::size_t>(1, core.siblings.size()) : 1;
  }
  return 2 * worker_cores.size() < places;
}

}  // namespace

Standing standing_for(const Machine& machine, const Request& request, double bytes) {
  Request wanted = request;
  wanted.spread = 0;
  const SocketOrder few = request.sockets == SocketOrder::balance ? SocketOrder::balance : SocketOrder::fill;
  Standing widest{few, 0}, widest_of_few{few, 0};
  bool few_suffice = false;
  for (const SocketOrder sockets : {few, SocketOrder::balance}) {
    wanted.sockets = sockets;
    const Placement family = policy("local").place(machine, wanted);
    if (sockets == few) few_suffice = leave_most_free(machine, request, family.start());
    for (std::size_t at = 0; at < family.levels.size(); ++at) {
      if (family.levels[at] <= widest.spread) continue;
      widest = {sockets, family.levels[at]};
      if (bytes <= cache_of(machine, family.worker_cores[at])) return widest;
    }
    if (sockets == few) widest_of_few = widest;
  }
  return few_suffice ? widest_of_few : widest;
}

}  // namespace charm::placement
