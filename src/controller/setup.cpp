#include "controller/setup.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "controller/known_machines.hpp"

namespace charm::controller {
namespace {

/// The chiplets of those who arrive fill in parallel, each over its own link and at most to its size.
double refill_seconds(const Machine& machine, const std::vector<WorkerCore>& from, const std::vector<WorkerCore>& to,
                      double link) {
  std::map<int, int> load, arrivals;
  for (std::size_t w = 0; w < to.size(); ++w) {
    ++load[to[w].chiplet];
    if (to[w].chiplet != from[w].chiplet) ++arrivals[to[w].chiplet];
  }
  double longest = 0;
  for (auto [chiplet, count] : arrivals) {
    if (chiplet < 0) continue;
    auto bytes = static_cast<double>(machine.chiplets[static_cast<std::size_t>(chiplet)].l3_bytes);
    longest = std::max(longest, bytes * count / load[chiplet] / (link * 1e9));
  }
  return longest;
}

/// Between cores of nodes in different sockets; 0 where that has not been measured.
double between_sockets(const Machine& machine) {
  const auto& latency = machine.measured.node_latency_ns;
  double sum = 0;
  int pairs = 0;
  for (std::size_t a = 0; a < latency.size() && a < machine.nodes.size(); ++a) {
    for (std::size_t b = 0; b < latency[a].size() && b < machine.nodes.size(); ++b) {
      if (machine.nodes[a].socket == machine.nodes[b].socket || latency[a][b] <= 0) continue;
      sum += latency[a][b];
      ++pairs;
    }
  }
  return pairs > 0 ? sum / pairs : 0;
}

int sockets_of(const std::vector<WorkerCore>& worker_cores) {
  std::set<int> sockets;
  for (const WorkerCore& worker_core : worker_cores) sockets.insert(worker_core.socket);
  return static_cast<int>(sockets.size());
}

}  // namespace

Traits traits_for(const Machine& machine) {
  const KnownMachine& like = most_similar(machine);
  Traits traits;
  traits.latency_ns = like.latency_ns;
  traits.mlp = like.mlp;
  if (like.link_gb_per_s > 0) traits.link_gb_per_s = like.link_gb_per_s;
  traits.source = "estimated, as on " + std::string(like.name);
  const Measured& measured = machine.measured;
  if (measured.profile.empty()) return traits;
  if (!measured.doubts.empty()) {
    traits.source += ", since the stored profile is doubtful";
    return traits;
  }
  const auto take = [&](Fill fill, double measured_ns) {
    if (measured_ns > 0) traits.latency_ns[static_cast<std::size_t>(fill)] = measured_ns;
    return measured_ns > 0;
  };
  const bool chiplets = take(Fill::other_chiplet, measured.chiplet_latency_ns);
  const bool sockets = take(Fill::remote_cache, between_sockets(machine));
  if (chiplets || sockets)
    traits.source = "measured on " + measured.date + "; L3, memory and links as on " + std::string(like.name);
  return traits;
}

Setup setup_for(const Machine& machine, const placement::Placement& placement, const Traits& traits) {
  Setup setup;
  setup.workers = static_cast<int>(placement.start().size());
  setup.levels = placement.levels;
  setup.initial = placement.initial;
  setup.traits = traits;
  setup.chiplets = std::max(1, static_cast<int>(machine.chiplets.size()));
  for (const Chiplet& chiplet : machine.chiplets)
    setup.cores_per_chiplet = std::max(setup.cores_per_chiplet, static_cast<int>(chiplet.cores.size()));
  for (const auto& from : placement.worker_cores) {
    setup.sockets.push_back(sockets_of(from));
    setup.refill_s.emplace_back();
    for (const auto& to : placement.worker_cores) {
      setup.refill_s.back().push_back(refill_seconds(machine, from, to, traits.link_gb_per_s));
    }
  }
  return setup;
}

}  // namespace charm::controller
