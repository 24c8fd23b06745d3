#include "tools/sim/from_profile.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <map>

#include "tools/base/quantile.hpp"
#include "tools/probe/structure/load_latency.hpp"

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
    const Core* measured = core_of(core.siblings.front());
    if (measured == nullptr) continue;
    core.l1d_bytes = measured->l1d_bytes;
    core.l2_bytes = measured->l2_bytes;
    Chiplet& chiplet = machine.chiplets[static_cast<std::size_t>(core.chiplet)];
    const Chiplet& like = system.chiplets[static_cast<std::size_t>(measured->chiplet)];
    if (like.cores.size() == chiplet.cores.size()) chiplet.l3_bytes = like.l3_bytes;
    Node& node = machine.nodes[static_cast<std::size_t>(core.node)];
    const Node& memory = system.nodes[static_cast<std::size_t>(measured->node)];
    if (memory.cpus.size() == node.cpus.size()) node.bytes = memory.bytes;
  }
}

/// A table by the nodes of `system` as one by those of `machine`; empty where they are not the same nodes.
std::vector<std::vector<double>> by_nodes_of(const Machine& machine, const Machine& system,
                                             const std::vector<std::vector<double>>& table) {
  std::vector<std::size_t> row;
  for (const Node& node : machine.nodes) {
    const auto same =
        std::find_if(system.nodes.begin(), system.nodes.end(), [&](const Node& one) { return one.cpus == node.cpus; });
    if (same == system.nodes.end()) return {};
    row.push_back(static_cast<std::size_t>(same - system.nodes.begin()));
  }
  if (table.size() != system.nodes.size()) return {};
  std::vector<std::vector<double>> own(row.size(), std::vector<double>(row.size(), 0));
  for (std::size_t a = 0; a < row.size(); ++a) {
    for (std::size_t b = 0; b < row.size(); ++b) own[a][b] = table[row[a]][row[b]];
  }
  return own;
}

/// What Machine::discover() adds, so that a controller in the simulator knows of the machine what one on it would.
void take_measurements(Machine& machine, const probe::Profile& profile) {
  machine.measured = profile.summary;
  machine.measured.profile = profile.key.name;
  machine.measured.date = profile.date;
  machine.measured.doubts = profile.doubts;
  const Machine& measured = profile.system ? *profile.system : machine;
  for (auto* table :
       {&machine.measured.node_latency_ns, &machine.measured.memory_latency_ns, &machine.measured.node_gb_per_s})
    *table = by_nodes_of(machine, measured, *table);
}

/// GB/s of a kernel of STREAM with the fewest or the most chiplets or processes; 0: not measured.
double stream_rate(const probe::Profile& profile, const char* curve, const char* kernel, bool most) {
  for (const auto& c : profile.curves) {
    if (c.name != curve) continue;
    for (const auto& s : c.series) {
      if (s.label == kernel && !s.points.empty()) return (most ? s.points.back() : s.points.front()).y;
    }
  }
  return 0;
}

/// What a node's memory gives to reads, and to as many reads as writes. STREAM's copy does not count the lines that are
/// filled before they are written: two lines of three are read.
template <class Measured>
void take_bandwidths(Costs& costs, const probe::Profile& profile, const Machine& machine, const Measured& measured) {
  const auto with_cpus =
      std::count_if(machine.nodes.begin(), machine.nodes.end(), [](const Node& node) { return !node.cpus.empty(); });
  const auto of_a_node = [&](const char* kernel) {
    const double rate = stream_rate(profile, "STREAM by chiplets", kernel, true);
    const auto nodes = static_cast<double>(std::max<std::ptrdiff_t>(1, with_cpus));
    return rate > 0 ? rate : stream_rate(profile, "STREAM by processes", kernel, true) / nodes;
  };
  const double read = of_a_node("read"), copied = 1.5 * of_a_node("copy");
  measured(costs.memory_read, std::max(read, copied));
  if (read > 0 && copied > 0)
    measured(costs.memory_mixed, std::max(copied / 2, read - 1.5 * std::max(0.0, read - copied)));
  // A link is seen only where a chiplet gets less than all chiplets of its node together.
  const double chiplet = profile.summary.chiplet_memory_gb_per_s;
  if (chiplet > 0 && chiplet < 0.9 * read) {
    measured(costs.link_read, chiplet);
    measured(costs.link_write, stream_rate(profile, "STREAM by chiplets", "write", false));
  }
}

/// What loads wait for in the last-level cache and in the memories.
template <class Measured>
void take_load_latencies(Costs& costs, const probe::Profile& profile, const Machine& machine,
                         const Measured& measured) {
  const probe::LoadLatencies loads = probe::load_latencies(profile, machine);
  measured(costs.l3_ns, loads.l3_ns);
  const int own_socket = machine.nodes.empty() ? 0 : machine.nodes[static_cast<std::size_t>(loads.from_node)].socket;
  std::vector<double> near, far;
  for (const Node& node : machine.nodes) {
    const double ns = loads.memory_ns[static_cast<std::size_t>(node.id)];
    if (ns <= 0) continue;
    if (node.id == loads.from_node) {
      measured(costs.dram_ns, ns);
    } else if (node.cpus.empty()) {
      measured(costs.far_dram_ns, ns);
    } else {
      (node.socket == own_socket ? near : far).push_back(ns);
    }
  }
  measured(costs.other_node_dram_ns, base::median(near));
  measured(costs.remote_dram_ns, base::median(far));
}

}  // namespace

void take_costs(Model& model, const probe::Profile& profile) {
  const std::string when = profile.date + (profile.doubts.empty() ? "" : ", doubtful: " + profile.doubts.front());
  const auto measured = [&](Number& number, double value) {
    if (value > 0) number = {value, std::string(measured_source) + when};
  };
  std::vector<const Core*> core_of_row;
  for (const int cpu : profile.cpus) core_of_row.push_back(model.machine.core_of_cpu(cpu));
  std::vector<double> same, other, node, socket;
  for (int i = 0; i < profile.latency.rows(); ++i) {
    for (int j = 0; j < i; ++j) {
      const Core *a = core_of_row[static_cast<std::size_t>(i)], *b = core_of_row[static_cast<std::size_t>(j)];
      if (!profile.latency.measured(i, j) || a == nullptr || b == nullptr || a == b) continue;
      auto& kind = a->chiplet == b->chiplet ? same
                   : a->socket != b->socket ? socket
                   : a->node != b->node     ? node
                                            : other;
      kind.push_back(profile.latency.at(i, j));
    }
  }
  Costs& costs = model.costs;
  measured(costs.same_chiplet_ns, base::median(same));
  measured(costs.other_chiplet_ns, base::median(other));
  measured(costs.other_node_ns, base::median(node.empty() ? other : node));
  measured(costs.other_socket_ns, base::median(socket));
  take_load_latencies(costs, profile, profile.system ? *profile.system : model.machine, measured);
  take_bandwidths(costs, profile, model.machine, measured);
  // Estimates that the measured numbers contradict give way: what is farther is not cheaper.
  costs.other_chiplet_ns.value = std::max(costs.other_chiplet_ns.value, costs.same_chiplet_ns.value);
  costs.other_node_ns.value = std::max(costs.other_node_ns.value, costs.other_chiplet_ns.value);
  costs.other_socket_ns.value = std::max(costs.other_socket_ns.value, costs.other_node_ns.value);
  costs.memory_mixed.value = std::min(costs.memory_mixed.value, costs.memory_read.value);
  costs.other_node_dram_ns.value = std::max(costs.other_node_dram_ns.value, costs.dram_ns.value);
  costs.remote_dram_ns.value = std::max(costs.remote_dram_ns.value, costs.other_node_dram_ns.value);
}

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
  model.shape_source = "charm probe, " + profile.date;
  take_costs(model, profile);
  take_measurements(model.machine, profile);
  return model;
}

}  // namespace charm::sim
