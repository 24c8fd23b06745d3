// numa: one NUMA node after the other, each filled before the next. The chiplets inside are ignored: the workers of a
// node spread over all of its chiplets. This is what a NUMA-aware runtime does (the baselines of CHARM §5). It has
// one level, since it has nothing to choose between.
#include <utility>

#include "placement/bins.hpp"
#include "placement/policies.hpp"

namespace charm::placement {
namespace {

std::vector<int> rooms_of(const std::vector<std::vector<Bin>>& groups) {
  std::vector<int> rooms;
  for (const auto& bins : groups) {
    std::size_t room = 0;
    for (const Bin& bin : bins) room += bin.worker_cores.size();
    rooms.push_back(static_cast<int>(room));
  }
  return rooms;
}

Placement place_numa(const Machine& machine, const Request& request) {
  int placed = placed_workers(machine, request);
  auto sockets = bins_by_socket_and_node(machine, request.smt);
  std::vector<int> socket_rooms;
  for (const auto& nodes : sockets) {
    int room = 0;
    for (int node_room : rooms_of(nodes)) room += node_room;
    socket_rooms.push_back(room);
  }
  auto socket_shares = share_out(socket_rooms, placed, request.sockets);
  std::vector<Family> families;
  for (std::size_t s = 0; s < sockets.size(); ++s) {
    auto node_shares = share_out(rooms_of(sockets[s]), socket_shares[s], SocketOrder::fill);
    for (std::size_t n = 0; n < sockets[s].size(); ++n) {
      if (node_shares[n] == 0) continue;
      int whole = doubling_levels(sockets[s][n], node_shares[n]).back();
      families.push_back(build_family(sockets[s][n], node_shares[n], {&whole, 1}));
    }
  }
  return share_worker_cores(combine(families, request.spread), request.workers);
}

}  // namespace

constinit const Policy numa_policy{"numa", "one NUMA node after the other, blind to its chiplets", place_numa};

}  // namespace charm::placement
