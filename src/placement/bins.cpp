#include "placement/bins.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "placement/apportion.hpp"
#include "placement/kinds.hpp"
#include "placement/memory_rate.hpp"

namespace charm::placement {
namespace {

int capacity_of(std::span<const Bin> bins) {
  std::size_t free_cores = 0;
  for (const Bin& bin : bins) free_cores += bin.worker_cores.size();
  return static_cast<int>(free_cores);
}

int places_of(const Core& core, bool smt) {
  return smt ? static_cast<int>(std::max<std::size_t>(1, core.siblings.size())) : 1;
}

std::vector<WorkerCore> worker_cores_of(const std::vector<const Core*>& cores, bool smt) {
  std::vector<WorkerCore> worker_cores;
  std::size_t threads = 1;
  for (const Core* core : cores) threads = smt ? std::max(threads, core->siblings.size()) : 1;
  for (std::size_t thread = 0; thread < threads; ++thread) {
    for (const Core* core : cores) {
      if (thread > 0 && thread >= core->siblings.size()) continue;
      worker_cores.push_back(
          {core->id, thread == 0 ? core->cpu : core->siblings[thread], core->chiplet, core->node, core->socket});
    }
  }
  return worker_cores;
}

template <class Value>
std::vector<int> keys(const std::map<int, Value>& map) {
  std::vector<int> all;
  for (const auto& [key, value] : map) all.push_back(key);
  return all;
}

/// Those whose node has faster memory first; among equals the lower id.
template <class NodeOf>
std::vector<int> faster_first(const Machine& machine, std::vector<int> ids, NodeOf node_of) {
  std::sort(ids.begin(), ids.end(), [&](int a, int b) {
    const long of_a = memory_rate(machine, node_of(a)), of_b = memory_rate(machine, node_of(b));
    return of_a != of_b ? of_a > of_b : a < b;
  });
  return ids;
}

/// Sockets with any of the cores, the one with the fastest memory first.
std::vector<int> sockets_in_order(const Machine& machine, const std::vector<const Core*>& cores) {
  std::map<int, int> fastest;  // socket, node
  for (const Core* core : cores) {
    int& node = fastest.try_emplace(core->socket, core->node).first->second;
    if (memory_rate(machine, core->node) > memory_rate(machine, node)) node = core->node;
  }
  return faster_first(machine, keys(fastest), [&](int socket) { return fastest.at(socket); });
}

/// One family over the chiplets of all sockets: the levels of as few sockets as hold the workers, then all chiplets of
/// twice as many sockets, of four times as many, and of all.
Family widening_family(std::vector<std::vector<Bin>> sockets, std::span<const int> shares, int workers) {
  std::vector<Bin> order;
  std::vector<std::size_t> chiplets;  // of the first so many sockets
  std::size_t used = 0;
  for (std::size_t s = 0; s < sockets.size(); ++s) {
    std::vector<Bin> bins = fewest_first(std::move(sockets[s]), shares[s]);
    order.insert(order.end(), std::make_move_iterator(bins.begin()), std::make_move_iterator(bins.end()));
    chiplets.push_back(order.size());
    used += shares[s] > 0 ? 1 : 0;
  }
  std::vector<int> levels = doubling_levels(std::span(order).first(chiplets[used - 1]), workers);
  while (used < chiplets.size()) {
    used = std::min(2 * used, chiplets.size());
    const int whole = std::min(static_cast<int>(chiplets[used - 1]), workers);
    if (whole > levels.back()) levels.push_back(whole);
  }
  return build_family(order, workers, levels);
}

std::vector<Family> families_of_kind(const Machine& machine, const std::vector<const Core*>& cores,
                                     const Request& request, int workers) {
  auto sockets = bins_by_socket(machine, cores, request.smt);
  std::vector<int> capacities;
  capacities.reserve(sockets.size());
  for (const auto& bins : sockets) capacities.push_back(capacity_of(bins));
  auto shares = share_out(capacities, workers, request.sockets);
  // Workers that need all sockets keep those that `fill` fills full: a cache for few workers may hold what one for
  // as many as everywhere does not.
  if (request.sockets == SocketOrder::widen && shares.back() == 0)
    return {widening_family(std::move(sockets), shares, workers)};
  std::vector<Family> families;
  for (std::size_t s = 0; s < sockets.size(); ++s) {
    if (shares[s] == 0) continue;
    auto order = fewest_first(std::move(sockets[s]), shares[s]);
    families.push_back(build_family(order, shares[s], doubling_levels(order, shares[s])));
  }
  return families;
}

}  // namespace

int capacity(const Machine& machine, bool smt) {
  int all = 0;
  for (const Core& core : machine.cores) all += places_of(core, smt);
  return all;
}

int placed_workers(const Machine& machine, const Request& request) {
  int free_cores = capacity(machine, request.smt);
  if (request.workers < 1) {
    throw Error(Errc::bad_config, std::to_string(request.workers) + " workers cannot be placed", "ask for at least 1");
  }
  if (free_cores == 0)
    throw Error(Errc::bad_input, "the machine has no core that may be used", "allow at least one cpu");
  if (request.workers > free_cores && !request.share_cores) {
    std::string remedy = "ask for at most " + std::to_string(free_cores) + ", ";
    if (int threads = capacity(machine, true); !request.smt && threads >= request.workers) {
      remedy += "allow SMT siblings (smt, " + std::to_string(threads) + " hardware threads), ";
    }
    throw Error(Errc::too_many_workers,
                std::to_string(request.workers) + " workers do not fit on " + std::to_string(free_cores) + " allowed " +
                    (request.smt ? "hardware threads" : "physical cores"),
                remedy + "or let workers share cores (share_cores)");
  }
  return std::min(request.workers, free_cores);
}

std::vector<std::vector<std::vector<Bin>>> bins_by_socket_and_node(const Machine& machine,
                                                                   const std::vector<const Core*>& cores, bool smt) {
  std::map<int, std::map<int, std::map<int, std::vector<const Core*>>>> grouped;  // socket, node, chiplet
  for (const Core* core : cores) grouped[core->socket][core->node][core->chiplet].push_back(core);
  std::vector<std::vector<std::vector<Bin>>> sockets;
  for (const int socket : sockets_in_order(machine, cores)) {
    sockets.emplace_back();
    const auto& nodes = grouped[socket];
    for (const int node : faster_first(machine, keys(nodes), [](int each) { return each; })) {
      sockets.back().emplace_back();
      for (const auto& [chiplet, members] : nodes.at(node)) {
        sockets.back().back().push_back(
            {machine.chiplets[static_cast<std::size_t>(chiplet)].l3_bytes, worker_cores_of(members, smt)});
      }
    }
  }
  return sockets;
}

std::vector<std::vector<Bin>> bins_by_socket(const Machine& machine, const std::vector<const Core*>& cores, bool smt) {
  std::map<int, std::map<int, std::vector<const Core*>>> grouped;  // socket, chiplet
  for (const Core* core : cores) grouped[core->socket][core->chiplet].push_back(core);
  const auto node_of = [&](int chiplet) { return machine.chiplets[static_cast<std::size_t>(chiplet)].node; };
  std::vector<std::vector<Bin>> sockets;
  for (const int socket : sockets_in_order(machine, cores)) {
    sockets.emplace_back();
    const auto& chiplets = grouped[socket];
    for (const int chiplet : faster_first(machine, keys(chiplets), node_of)) {
      sockets.back().push_back(
          {machine.chiplets[static_cast<std::size_t>(chiplet)].l3_bytes, worker_cores_of(chiplets.at(chiplet), smt)});
    }
  }
  return sockets;
}

std::vector<int> share_out(std::span<const int> capacities, int workers, SocketOrder order) {
  std::vector<int> shares(capacities.size(), 0);
  if (order != SocketOrder::balance) {
    for (std::size_t g = 0; g < shares.size(); ++g) {
      shares[g] = std::min(workers, capacities[g]);
      workers -= shares[g];
    }
    return shares;
  }
  std::vector<Claimant> groups;
  groups.reserve(capacities.size());
  for (int free_cores : capacities) groups.push_back({1, free_cores});
  return apportion(groups, workers);
}

std::vector<Bin> fewest_first(std::vector<Bin> bins, int workers) {
  std::map<std::size_t, std::vector<Bin>, std::greater<>> of_size;
  for (const Bin& bin : bins) of_size[bin.worker_cores.size()].push_back(bin);
  std::vector<Bin> by_size;
  for (const auto& [size, some] : of_size) by_size.insert(by_size.end(), some.begin(), some.end());
  return least_level(by_size, workers) < least_level(bins, workers) ? by_size : bins;
}

std::vector<Family> families_by_kind(
    const Machine& machine, bool smt, int workers,
    const std::function<std::vector<Family>(const std::vector<const Core*>& cores, int workers)>& families_of) {
  std::vector<Family> families;
  for (const auto& cores : cores_by_kind(machine)) {
    if (workers == 0) break;
    int room = 0;
    for (const Core* core : cores) room += places_of(*core, smt);
    const int share = std::min(workers, room);
    std::vector<Family> of_kind = families_of(cores, share);
    std::move(of_kind.begin(), of_kind.end(), std::back_inserter(families));
    workers -= share;
  }
  return families;
}

std::vector<Family> socket_families(const Machine& machine, const Request& request, int workers) {
  return families_by_kind(machine, request.smt, workers, [&](const std::vector<const Core*>& cores, int share) {
    return families_of_kind(machine, cores, request, share);
  });
}
Placement share_worker_cores(Placement placement, int workers) {
  for (auto& row : placement.worker_cores) {
    for (std::size_t w = 0; row.size() < static_cast<std::size_t>(workers); ++w) row.push_back(WorkerCore(row[w]));
  }
  return placement;
}

}  // namespace charm::placement
