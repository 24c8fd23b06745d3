#include "tools/sim/page_mapping.hpp"

#include <algorithm>
#include <numeric>

#include "tools/sim/timing.hpp"
#include "tools/sim/traffic.hpp"

namespace charm::sim {
namespace {

double memory_latency(const Model& model, const Node& from, const Node& to) {
  const Costs& costs = model.costs;
  if (to.cpus.empty()) return costs.far_dram_ns.value;
  if (from.id == to.id) return costs.dram_ns.value;
  return from.socket == to.socket ? costs.other_node_dram_ns.value : costs.remote_dram_ns.value;
}

Flow::Path path_between(const Node& from, const Node& to) {
  if (from.id == to.id || to.cpus.empty()) return Flow::Path::memory;
  return from.socket == to.socket ? Flow::Path::nodes : Flow::Path::sockets;
}

}  // namespace

memory_traffic::Model traffic_model(const Model& model) {
  const Costs& costs = model.costs;
  memory_traffic::Model made = memory_traffic::model_of(model.machine);
  const auto limited = [](double gb_per_s) { return gb_per_s > 0 ? gb_per_s : memory_traffic::unlimited; };
  for (memory_traffic::Domain& domain : made.domains) {
    const bool socket = domain.level == memory_traffic::Level::socket;
    if (socket) domain.out_gb_per_s = limited(costs.socket_link.value);
    if (domain.level == memory_traffic::Level::node) domain.out_gb_per_s = limited(costs.node_link.value);
    const double hop = socket ? costs.remote_dram_ns.value - costs.other_node_dram_ns.value
                              : costs.other_node_dram_ns.value - costs.dram_ns.value;
    domain.hop_ns = std::max(0.0, hop / 2);
  }
  for (memory_traffic::Memory& memory : made.memories) {
    const Node& node = model.machine.nodes[static_cast<std::size_t>(memory.os_node)];
    memory.gb_per_s = node.cpus.empty() ? costs.far_memory.value : costs.memory_read.value;
    memory.latency_ns = node.cpus.empty() ? costs.far_dram_ns.value : costs.dram_ns.value;
  }
  made.core_gb_per_s = line_bytes / (costs.issue_ns.value + costs.dram_ns.value / costs.stream_mlp.value);
  made.notes.clear();
  return made;
}

std::vector<double> gb_per_s_of(const Model& model, const std::vector<Reading>& programs,
                                const std::vector<double>& background) {
  const Machine& machine = model.machine;
  const double mlp = model.costs.stream_mlp.value;
  std::vector<Demand> demands;
  for (const Reading& program : programs) {
    const Node& node = machine.nodes[static_cast<std::size_t>(program.node)];
    const double wanted = program.read_gb_per_s + program.written_gb_per_s;
    const double written = wanted > 0 ? program.written_gb_per_s / wanted : 0;
    const double total = std::accumulate(program.weights.begin(), program.weights.end(), 0.0);
    std::vector<const Core*> cores;
    for (const Core& core : machine.cores) {
      if (core.node == node.id) cores.push_back(&core);
    }
    for (int t = 0; t < program.threads; ++t) {
      const Core& core = *cores[static_cast<std::size_t>(t) % cores.size()];
      Demand demand;
      // An operation is a line. Of its time with local memory the core's own part is what is left of the waiting.
      const double local_wait = model.costs.dram_ns.value / mlp;
      const double whole = wanted > 0 ? line_bytes * program.threads / wanted : 0;
      demand.own_ns = std::max(model.costs.issue_ns.value, whole - local_wait);
      for (std::size_t m = 0; m < program.weights.size(); ++m) {
        const double part = program.weights[m] / total;
        if (part <= 0) continue;
        const Node& home = machine.nodes[m];
        demand.flows.push_back({core.chiplet, core.node, core.socket, home.id, path_between(node, home),
                                part * memory_latency(model, node, home) / mlp, part * line_bytes * (1 - written),
                                part * line_bytes * written});
      }
      demands.push_back(std::move(demand));
    }
  }
  const std::size_t own = demands.size();
  for (std::size_t m = 0; m < background.size(); ++m) {
    if (background[m] <= 0) continue;
    const Node& node = machine.nodes[m];
    Demand demand;
    demand.own_ns = line_bytes / background[m];  // it waits for nothing: its rate is given
    for (const Chiplet& chiplet : machine.chiplets) {
      if (chiplet.node != node.id) continue;
      demand.flows.push_back({chiplet.id, node.id, node.socket, node.id, Flow::Path::memory, 0, line_bytes, 0});
      break;
    }
    if (!demand.flows.empty()) demands.push_back(std::move(demand));
  }
  const std::vector<double> ns = share_bandwidth(model, demands);
  std::vector<double> rates;
  std::size_t at = 0;
  for (const Reading& program : programs) {
    double sum = 0;
    for (int t = 0; t < program.threads; ++t, ++at) sum += line_bytes / ns[at];
    rates.push_back(sum);
  }
  return at == own ? rates : std::vector<double>();
}

memory_traffic::Weights weights_of(const memory_traffic::Model& model, std::string_view policy, int node,
                                   const memory_traffic::Bandwidths& left, double demand_gb_per_s) {
  memory_traffic::Question question{.model = &model, .left = left, .root = memory_traffic::root_of_node(model, node)};
  question.demand_gb_per_s = demand_gb_per_s;
  return memory_traffic::huge_weights(memory_traffic::policy(policy), question);
}

memory_traffic::Weights only_on(std::size_t nodes, int node) {
  memory_traffic::Weights weights(nodes, 0);
  weights[static_cast<std::size_t>(node)] = 1;
  return weights;
}

const std::vector<MappedProgram>& mapped_programs() {
  static const std::vector<MappedProgram> programs = {
      {"BT.C", 13.76043, 7.33975, 689.60, 0.68520},
      {"CG.C", 6.06283, 0.24828, 906.94, 7.71171},
      {"EP.C", 3.69695, 3.13925, 0, 0.66021},
      {"FT.C", 25.36757, 21.13032, 5130.00, 0.65996},
      {"IS.C", 13.80432, 8.25618, 0, 0.65418},
      {"LU.C", 5.86206, 4.19779, 558.25, 1.10955},
      {"MG.C", 8.57559, 3.5832, 3408.81, 0.68347},
      {"SP.C", 18.64006, 11.0647, 722.44, 0.68520},
      {"DC.W", 2.21283, 0.79735, 305.18, 19.84789},
      {"UA.C", 15.15903, 7.42085, 444.82, 41.25989},
      {"XSbench", 15.94861, 3.06493, 5678.79, 63.28706},
      {"BFS", 12.33862, 2.22104, 3520.44, 0.62336},
  };
  return programs;
}

double time_of(const Model& model, const MappedProgram& program, const memory_traffic::Weights& huge,
               const memory_traffic::Weights& normal, const std::vector<double>& background) {
  const double part = program.huge_mb / (program.huge_mb + program.normal_mb);
  Reading reading{0, 32, program.read_gb_per_s, program.written_gb_per_s, {}};
  const memory_traffic::Weights spread = memory_traffic::normalised(huge);
  const memory_traffic::Weights near = memory_traffic::normalised(normal);
  for (std::size_t m = 0; m < huge.size(); ++m) reading.weights.push_back(part * spread[m] + (1 - part) * near[m]);
  return 1 / gb_per_s_of(model, {reading}, background).front();
}

}  // namespace charm::sim
