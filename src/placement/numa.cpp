// numa: one NUMA node after the other, each filled before the next. The chiplets inside are ignored: the workers of a
// node spread over all of its chiplets. This is what a NUMA-aware runtime does (the baselines of CHARM §5). It has
// one level, since it has nothing to choose between.
#include <utility>

#include "placement/bins.hpp"
#include "placement/policies.hpp"

namespace charm::placement {
namespace {

std::vector<int> capacities_of(const std::vector<std::vector<Bin>>& groups) {
  std::vector<int> capacities;
  for (const auto& bins : groups) {
    std::size_t free_cores = 0;
    for (const Bin& bin : bins) free_cores += bin.worker_cores.size();
    capacities.push_back(static_cast<int>(free_cores));
  }
  return capacities;
}

std::vector<Family> node_families(const Machine& machine, const std::vector<const Core*>& cores, const Request& request,
                                  int workers) {
  auto sockets = bins_by_socket_and_node(machine, cores, request.smt);
  std::vector<int> socket_capacities;
  for (const auto& nodes : sockets) {
    int free_cores = 0;
    for (int node_capacity : capacities_of(nodes)) free_cores += node_capacity;
    socket_capacities.push_back(free_cores);
  }
  auto socket_shares = share_out(socket_capacities, workers, request.sockets);
  std::vector<Family> families;
  for (std::size_t s = 0; s < sockets.size(); ++s) {
    auto node_shares = share_out(capacities_of(sockets[s]), socket_shares[s], SocketOrder::fill);
    for (std::size_t n = 0; n < sockets[s].size(); ++n) {
      if (node_shares[n] == 0) continue;
      int whole = doubling_levels(sockets[s][n], node_shares[n]).back();
      families.push_back(build_family(sockets[s][n], node_shares[n], {&whole, 1}));
    }
  }
  return families;
}

Placement place_numa(const Machine& machine, const Request& request) {
  const int placed = placed_workers(machine, request);
  const auto families = families_by_kind(
      machine, request.smt, placed,
      [&](const std::vector<const Core*>& cores, int share) { return node_families(machine, cores, request, share); });
  return share_worker_cores(combine(families, request.spread), request.workers);
}

}  // namespace

constinit const PlacementPolicy numa_policy{"numa", "one NUMA node after the other, blind to its chiplets", place_numa};

}  // namespace charm::placement
