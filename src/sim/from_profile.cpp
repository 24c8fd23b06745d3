#include "sim/from_profile.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <map>

#include "base/quantile.hpp"

namespace charm::sim {
namespace {

/// The group of each row; rows in none have -1.
std::vector<int> group_of(const probe::Partition& partition, int rows) {
  std::vector<int> out(static_cast<std::size_t>(rows), -1);
  for (std::size_t g = 0; g < partition.size(); ++g) {
    for (const int row : partition[g]) out[static_cast<std::size_t>(row)] = static_cast<int>(g);
  }
  return out;
}

struct Rows {
  std::vector<int> smt, chiplet, node, socket;
};

/// Cores socket by socket, node by node, chiplet by chiplet, with ids in that order.
Machine machine_of(const probe::Profile& profile, const Rows& rows) {
  std::map<int, std::map<int, std::map<int, std::map<int, CpuSet>>>> tree;  // down to the cpus of a core
  for (std::size_t r = 0; r < profile.cpus.size(); ++r) {
    const int core = rows.smt[r] >= 0 ? rows.smt[r] : static_cast<int>(profile.cpus.size() + r);
    tree[std::max(0, rows.socket[r])][std::max(0, rows.node[r])][std::max(0, rows.chiplet[r])][core].insert(
        profile.cpus[r]);
  }
  Machine machine;
  machine.name = profile.key.name;
  machine.origin = "profile:" + profile.date;
  for (const auto& [s, nodes] : tree) {
    const int socket = static_cast<int>(machine.sockets.size());
    machine.sockets.push_back({socket, {}, {}});
    for (const auto& [n, chiplets] : nodes) {
      const int node = static_cast<int>(machine.nodes.size());
      machine.nodes.push_back({node, node, {}, 0, socket});
      machine.sockets.back().nodes.insert(node);
      for (const auto& [c, cores] : chiplets) {
        const int chiplet = static_cast<int>(machine.chiplets.size());
        machine.chiplets.push_back({chiplet, {}, 0, node, socket});
        machine.sockets.back().chiplets.insert(chiplet);
        for (const auto& [k, cpus] : cores) {
          const int core = static_cast<int>(machine.cores.size());
          machine.chiplets.back().cores.insert(core);
          machine.nodes.back().cpus |= cpus;
          machine.cores.push_back({core, cpus.front(), cpus, chiplet, node, socket, 0, 0});
        }
      }
    }
  }
  machine.allowed_cpus = CpuSet(profile.cpus);
  machine.total = {static_cast<int>(profile.cpus.size()), static_cast<int>(machine.cores.size()),
                   static_cast<int>(machine.nodes.size()), static_cast<int>(machine.sockets.size())};
  return machine;
}

/// What the system told of its caches and memory, where it sees the same cores together as the measurement does.
void take_sizes(Machine& machine, const Machine& system) {
  const auto core_of = [&](int cpu) -> const Core* {
    for (const Core& core : system.cores) {
      if (core.siblings.contains(cpu)) return &core;
    }
    return nullptr;
  };
  for (Core& core : machine.cores) {
    const Core* told = core_of(core.siblings.front());
    if (told == nullptr) continue;
    core.l1d_bytes = told->l1d_bytes;
    core.l2_bytes = told->l2_bytes;
    Chiplet& chiplet = machine.chiplets[static_cast<std::size_t>(core.chiplet)];
    const Chiplet& like = system.chiplets[static_cast<std::size_t>(told->chiplet)];
    if (like.cores.size() == chiplet.cores.size()) chiplet.l3_bytes = like.l3_bytes;
    Node& node = machine.nodes[static_cast<std::size_t>(core.node)];
    const Node& memory = system.nodes[static_cast<std::size_t>(told->node)];
    if (memory.cpus.size() == node.cpus.size()) node.bytes = memory.bytes;
  }
}

/// The last point of the first series of a curve: of the largest working set, of the most processes. 0: not measured.
double last_of(const probe::Profile& profile, const char* curve, const char* series = nullptr) {
  for (const auto& c : profile.curves) {
    if (c.name != curve) continue;
    for (const auto& s : c.series) {
      if ((series == nullptr || s.label == series) && !s.points.empty()) return s.points.back().y;
    }
  }
  return 0;
}

}  // namespace

Model model_of_profile(const probe::Profile& profile) {
  const int count = profile.latency.rows();
  if (count < 1 || profile.cpus.size() != static_cast<std::size_t>(count)) {
    throw Error(Errc::bad_input, "the profile of " + profile.date + " holds no latencies",
                "measure the machine with 'charm probe', without --only");
  }
  const Rows rows{group_of(profile.seen.smt, count), group_of(profile.seen.chiplets, count),
                  group_of(profile.seen.nodes, count), group_of(profile.seen.sockets, count)};
  Machine machine = machine_of(profile, rows);
  if (profile.system) take_sizes(machine, *profile.system);
  Model model = estimated_model(std::move(machine));
  const std::string when = profile.date + (profile.doubts.empty() ? "" : ", doubtful: " + profile.doubts.front());
  model.shape_source = "charm probe, " + when;
  const auto measured = [&](Number& number, double value) {
    if (value > 0) number = {value, "measured by charm probe, " + when};
  };
  std::vector<double> same, other, node, socket;
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < i; ++j) {
      const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
      if (!profile.latency.measured(i, j) || (rows.smt[a] >= 0 && rows.smt[a] == rows.smt[b])) continue;
      auto& kind = rows.chiplet[a] == rows.chiplet[b] ? same
                   : rows.socket[a] != rows.socket[b] ? socket
                   : rows.node[a] != rows.node[b]     ? node
                                                      : other;
      kind.push_back(profile.latency.at(i, j));
    }
  }
  Costs& costs = model.costs;
  measured(costs.same_chiplet_ns, base::median(same));
  measured(costs.other_chiplet_ns, base::median(other));
  measured(costs.other_node_ns, base::median(node.empty() ? other : node));
  measured(costs.other_socket_ns, base::median(socket));
  measured(costs.dram_ns, last_of(profile, "Latency by working set"));
  const auto nodes = static_cast<double>(model.machine.nodes.size());
  measured(costs.memory_mixed, last_of(profile, "STREAM by processes") / nodes);
  // Estimates that the measured numbers contradict give way: what is farther is not cheaper.
  costs.other_chiplet_ns.value = std::max(costs.other_chiplet_ns.value, costs.same_chiplet_ns.value);
  costs.other_node_ns.value = std::max(costs.other_node_ns.value, costs.other_chiplet_ns.value);
  costs.other_socket_ns.value = std::max(costs.other_socket_ns.value, costs.other_node_ns.value);
  costs.memory_read.value = std::max(costs.memory_read.value, costs.memory_mixed.value);
  costs.remote_dram_ns.value = std::max(costs.remote_dram_ns.value, costs.dram_ns.value);
  costs.other_node_dram_ns.value = std::max(costs.other_node_dram_ns.value, costs.dram_ns.value);
  return model;
}

}  // namespace charm::sim
