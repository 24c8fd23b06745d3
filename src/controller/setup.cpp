#include "controller/setup.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "controller/known_machines.hpp"
#include "controller/memory_bandwidth.hpp"

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

/// The mean of a table over those pairs of nodes of which `take` is true and that were measured; 0 if there are none.
template <class Take>
double mean_of(const Machine& machine, const std::vector<std::vector<double>>& table, const Take& take) {
  double sum = 0;
  int pairs = 0;
  for (std::size_t a = 0; a < table.size() && a < machine.nodes.size(); ++a) {
    for (std::size_t b = 0; b < table[a].size() && b < machine.nodes.size(); ++b) {
      if (table[a][b] <= 0 || !take(machine.nodes[a], machine.nodes[b])) continue;
      sum += table[a][b];
      ++pairs;
    }
  }
  return pairs > 0 ? sum / pairs : 0;
}

bool same_node(const Node& a, const Node& b) { return a.id == b.id; }
bool other_socket(const Node& a, const Node& b) { return a.socket != b.socket; }
bool other_node(const Node& a, const Node& b) { return a.id != b.id; }

/// Another socket's memory; on one socket that of its other nodes. Nodes without cpus (CXL) are another kind of memory.
double remote_memory(const Machine& machine) {
  const auto& table = machine.measured.memory_latency_ns;
  const auto has_cpus = [](const Node& node) { return !node.cpus.empty(); };
  const double far =
      mean_of(machine, table, [&](const Node& a, const Node& b) { return other_socket(a, b) && has_cpus(b); });
  if (far > 0) return far;
  return mean_of(machine, table, [&](const Node& a, const Node& b) { return other_node(a, b) && has_cpus(b); });
}

std::string words_of(const std::array<bool, sources_beyond_l2.size()>& chosen, bool which) {
  std::string text;
  for (const FillSource source : sources_beyond_l2) {
    if (chosen[index_beyond_l2(source)] != which) continue;
    text += (text.empty() ? "" : ", ") + std::string(topology::name(source));
  }
  return text;
}

/// An estimate gives way where a measured number contradicts it: what is farther is not cheaper.
void order_latencies(Traits& traits) {
  constexpr std::array<std::pair<FillSource, FillSource>, 4> nearer{
      {{FillSource::own_chiplet, FillSource::other_chiplet},
       {FillSource::other_chiplet, FillSource::remote_cache},
       {FillSource::own_chiplet, FillSource::local_dram},
       {FillSource::local_dram, FillSource::remote_dram}}};
  for (const auto& [near, far] : nearer) {
    const auto a = index_beyond_l2(near), b = index_beyond_l2(far);
    if (!traits.measured[b]) traits.latency_ns[b] = std::max(traits.latency_ns[a], traits.latency_ns[b]);
  }
}

int sockets_of(const std::vector<WorkerCore>& worker_cores) {
  std::set<int> sockets;
  for (const WorkerCore& worker_core : worker_cores) sockets.insert(worker_core.socket);
  return static_cast<int>(sockets.size());
}

/// Bandwidths are believed together or not at all, since only their ratios decide.
void take_rates(Traits& traits, const Machine& machine) {
  const Measured& measured = machine.measured;
  if (measured.chiplet_memory_gb_per_s <= 0 || measured.node_memory_gb_per_s <= 0) return;
  traits.link_gb_per_s = measured.chiplet_memory_gb_per_s;
  traits.node_gb_per_s = std::max(measured.node_memory_gb_per_s, measured.chiplet_memory_gb_per_s);
  traits.core_gb_per_s = mean_of(machine, measured.node_gb_per_s, same_node);
  traits.rates_source = "measured";
}

}  // namespace

Traits traits_for(const Machine& machine) {
  const KnownMachine& like = most_similar(machine);
  Traits traits;
  traits.latency_ns = like.latency_ns;
  traits.mlp = like.mlp;
  traits.node_gb_per_s = like.socket_gb_per_s / nodes_of_a_socket(machine);
  traits.link_gb_per_s = like.link_gb_per_s > 0 ? like.link_gb_per_s : traits.node_gb_per_s;
  traits.rates_source = "as on " + std::string(like.name);
  traits.like = like.name;
  traits.source = "estimated, as on " + traits.like;
  const Measured& measured = machine.measured;
  if (measured.profile.empty()) return traits;
  if (!measured.doubts.empty()) {
    traits.source += ", since the stored profile is doubtful";
    return traits;
  }
  const auto take = [&](FillSource fill, double measured_ns) {
    if (!(measured_ns > 0)) return;
    traits.latency_ns[index_beyond_l2(fill)] = measured_ns;
    traits.measured[index_beyond_l2(fill)] = true;
  };
  take(FillSource::own_chiplet, measured.l3_latency_ns);
  take(FillSource::other_chiplet, measured.chiplet_latency_ns);
  take(FillSource::remote_cache, mean_of(machine, measured.node_latency_ns, other_socket));
  take(FillSource::local_dram, mean_of(machine, measured.memory_latency_ns, same_node));
  take(FillSource::remote_dram, remote_memory(machine));
  order_latencies(traits);
  take_rates(traits, machine);
  const std::string own = words_of(traits.measured, true), estimated = words_of(traits.measured, false);
  if (!own.empty()) {
    traits.source = "measured on " + measured.date + ": " + own;
    if (!estimated.empty()) traits.source += "; as on " + traits.like + ": " + estimated;
  }
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
    setup.chiplet_of.emplace_back();
    setup.turn_of.emplace_back();
    std::map<int, int> on_core;
    for (const WorkerCore& core : from) {
      setup.chiplet_of.back().push_back(core.chiplet);
      setup.turn_of.back().push_back(core.core < 0 ? 0 : on_core[core.core]++);
    }
    setup.refill_s.emplace_back();
    for (const auto& to : placement.worker_cores) {
      setup.refill_s.back().push_back(refill_seconds(machine, from, to, traits.link_gb_per_s));
    }
  }
  setup.memory_gb_per_s = memory_rates(machine, placement, traits);
  return setup;
}

}  // namespace charm::controller
