// The costs of a machine of which only the topology is known: those of the most similar built-in model
// (controller/known_machines.hpp), all marked as estimates.
#include <algorithm>
#include <utility>

#include "controller/known_machines.hpp"
#include "tools/sim/model.hpp"
#include "topology/domains.hpp"

namespace charm::sim {
Model estimated_model(Machine machine) {
  const std::size_t chiplets = machine.chiplets.size();
  // Nothing is published on what lies between the domains of a cache, and each has the whole of it.
  machine = topology::with_whole_caches(std::move(machine));
  if (machine.chiplets.size() != chiplets)
    machine.notes.emplace_back(
        "The model takes the domains of a cache for one chiplet: it knows no costs between them.");
  const Model similar = model(controller::most_similar(machine).name);
  Model out;
  out.name = machine.name.empty() ? "machine" : machine.name;
  out.title = out.name;
  out.shape_source = machine.origin;
  out.costs = similar.costs;
  for (const auto& field : cost_fields()) (out.costs.*field.member).source = "estimate, as on " + similar.name;
  // A socket's memory is divided over its nodes.
  const double nodes = controller::nodes_of_a_socket(similar.machine) / controller::nodes_of_a_socket(machine);
  for (Number* rate : {&out.costs.memory_read, &out.costs.memory_mixed}) rate->value *= nodes;
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
    if (core.l2_bytes == 0) core.l2_bytes = similar.machine.cores.front().l2_bytes;
  }
  for (auto& chiplet : machine.chiplets) {
    // A machine that tells no cache sizes gets the share of its like.
    if (chiplet.l3_bytes == 0) {
      const auto& like = similar.machine.chiplets.front();
      chiplet.l3_bytes = like.l3_bytes / like.cores.size() * chiplet.cores.size();
    }
  }
  out.machine = std::move(machine);
  return out;
}

}  // namespace charm::sim
