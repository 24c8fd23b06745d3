// The few numbers of a measurement that a Machine contains (charm::Measured): medians between cores of a chiplet,
// of different chiplets, of different nodes, what loads wait for, and the bandwidth of memory.
#include <algorithm>
#include <cstddef>
#include <map>

#include "tools/probe/profile.hpp"
#include "tools/probe/structure/load_latency.hpp"

namespace charm::probe {
namespace {

double median(const std::vector<double>& values) { return median_of(values); }

}  // namespace

void summarise_profile(Profile& profile, const Machine& machine) {
  const auto n = static_cast<std::size_t>(profile.latency.rows());
  std::vector<int> chiplet(n, -1);
  std::vector<int> core(n, -1);
  const auto number = [](const Partition& groups, std::vector<int>& of) {
    for (std::size_t g = 0; g < groups.size(); ++g) {
      for (int row : groups[g]) of[static_cast<std::size_t>(row)] = static_cast<int>(g);
    }
  };
  number(profile.seen.chiplets, chiplet);
  number(profile.seen.smt, core);

  const std::size_t nodes = machine.nodes.size();
  profile.node_os.clear();
  for (const Node& node : machine.nodes) profile.node_os.push_back(node.os_index);
  std::vector<double> inside, across, inside_rate, across_rate;
  std::map<std::pair<int, int>, std::vector<double>> between_nodes;
  for (std::size_t i = 0; i < n; ++i) {
    const Core* a = machine.core_of_cpu(profile.cpus[i]);
    for (std::size_t j = 0; j < i; ++j) {
      const Core* b = machine.core_of_cpu(profile.cpus[j]);
      if (a == nullptr || b == nullptr || core[i] < 0 || core[j] < 0 || core[i] == core[j]) continue;
      const int row = static_cast<int>(i);
      const int column = static_cast<int>(j);
      const bool same = chiplet[i] == chiplet[j];
      if (profile.latency.measured(row, column)) {
        const double ns = profile.latency.at(row, column);
        between_nodes[{std::min(a->node, b->node), std::max(a->node, b->node)}].push_back(ns);
        if (a->node == b->node) (same ? inside : across).push_back(ns);
      }
      if (profile.bandwidth.rows() > row && profile.bandwidth.measured(row, column) && a->node == b->node)
        (same ? inside_rate : across_rate).push_back(profile.bandwidth.at(row, column));
    }
  }
  profile.summary.core_latency_ns = median(inside);
  profile.summary.chiplet_latency_ns = median(across);
  profile.summary.core_gb_per_s = median(inside_rate);
  profile.summary.chiplet_gb_per_s = median(across_rate);
  profile.summary.node_latency_ns.assign(nodes, std::vector<double>(nodes, 0));
  for (const auto& [pair, values] : between_nodes) {
    const auto a = static_cast<std::size_t>(pair.first);
    const auto b = static_cast<std::size_t>(pair.second);
    profile.summary.node_latency_ns[a][b] = profile.summary.node_latency_ns[b][a] = median(values);
  }
  const LoadLatencies loads = load_latencies(profile, machine);
  profile.summary.l3_latency_ns = loads.l3_ns;
  profile.summary.memory_latency_ns.assign(nodes, std::vector<double>(nodes, 0));
  if (nodes > 0) profile.summary.memory_latency_ns[static_cast<std::size_t>(loads.from_node)] = loads.memory_ns;
  if (profile.summary.node_gb_per_s.size() != nodes) profile.summary.node_gb_per_s.clear();
}

}  // namespace charm::probe
