// The costs of a machine of which only the topology is known: those of the most similar built-in model, all marked
// as estimates. Similar means: as many last-level caches in a socket; a single cache for all only matches another.
#include <algorithm>
#include <cmath>

#include "sim/model.hpp"

namespace charm::sim {
namespace {

double chiplets_per_socket(const Machine& machine) {
  return static_cast<double>(machine.chiplets.size()) /
         std::max<double>(1, static_cast<double>(machine.sockets.size()));
}

double unlikeness(const Machine& a, const Machine& b) {
  const double chiplets = std::abs(std::log(chiplets_per_socket(a) / chiplets_per_socket(b)));
  const double cores = std::abs(std::log(static_cast<double>(a.cores.size()) / static_cast<double>(b.cores.size())));
  const double nodes = std::abs(std::log(static_cast<double>(a.nodes.size()) / static_cast<double>(b.nodes.size())));
  // What lies between sockets is known only of machines that have several.
  const double sockets = (a.sockets.size() > 1) != (b.sockets.size() > 1) ? 3 : 0;
  return 4 * chiplets + cores + nodes + sockets;
}

}  // namespace

Model estimated_model(Machine machine) {
  const Model* nearest = &models().front();
  for (const auto& m : models()) {
    if (unlikeness(machine, m.machine) < unlikeness(machine, nearest->machine)) nearest = &m;
  }
  Model out;
  out.name = machine.name.empty() ? "machine" : machine.name;
  out.title = out.name;
  out.shape_source = machine.origin;
  out.costs = nearest->costs;
  for (const auto& field : cost_fields()) (out.costs.*field.member).source = "estimate, as on " + nearest->name;
  const bool has_far =
      std::any_of(machine.nodes.begin(), machine.nodes.end(), [](const Node& node) { return node.cpus.empty(); });
  if (has_far && out.costs.far_memory.value <= 0) {
    for (const auto& m : models()) {
      if (m.costs.far_memory.value <= 0) continue;
      out.costs.far_dram_ns = {m.costs.far_dram_ns.value, "estimate, as on " + m.name};
      out.costs.far_memory = {m.costs.far_memory.value, "estimate, as on " + m.name};
      break;
    }
  }
  for (auto& core : machine.cores) {
    if (core.l2_bytes == 0) core.l2_bytes = nearest->machine.cores.front().l2_bytes;
  }
  for (auto& chiplet : machine.chiplets) {
    // A machine that tells no cache sizes gets the share of its like.
    if (chiplet.l3_bytes == 0) {
      const auto& like = nearest->machine.chiplets.front();
      chiplet.l3_bytes = like.l3_bytes / like.cores.size() * chiplet.cores.size();
    }
  }
  out.machine = std::move(machine);
  return out;
}

}  // namespace charm::sim
