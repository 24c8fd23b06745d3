// The members of charm::Machine (include/charm/machine.hpp): where a machine is read from, and distances on it.
#include <charm/machine.hpp>

#include <algorithm>
#include <cstdlib>

#include "base/environment.hpp"
#include "topology/description.hpp"
#include "topology/discovery.hpp"

namespace charm {

Machine Machine::discover() {
  const auto value = [](const char* name) {
    const char* text = base::environment(name);
    return std::string(text == nullptr ? "" : text);
  };
  return topology::discover({value("CHARM_TOPOLOGY"), value("CHARM_PROFILE"), value("CHARM_DOMAINS")});
}

Machine Machine::from(std::string_view description) {
  const std::string text(description);
  // An empty description would be this machine, which nobody asks for by this name.
  return topology::machine_of(topology::read_description(text.empty() ? " " : text));
}

double Machine::distance(int core_a, int core_b) const {
  const Core& a = cores.at(static_cast<std::size_t>(core_a));
  const Core& b = cores.at(static_cast<std::size_t>(core_b));
  if (a.id == b.id) return 0;
  if (a.chiplet == b.chiplet) return 1;
  if (a.node == b.node && a.socket == b.socket) {
    const auto cache = [this](const Core& core) {
      return chiplets[static_cast<std::size_t>(core.chiplet)].shared_cache;
    };
    return cache(a) >= 0 && cache(a) == cache(b) ? 1.5 : 2;
  }
  if (a.socket == b.socket) return 3;
  if (node_distance.empty()) return 4;
  // Firmware tables need not be symmetric, transfers between two cores are.
  const auto na = static_cast<std::size_t>(a.node);
  const auto nb = static_cast<std::size_t>(b.node);
  const double local = std::min(node_distance[na][na], node_distance[nb][nb]);
  const double far = std::max(node_distance[na][nb], node_distance[nb][na]);
  return std::max(4.0, 3.0 + (local > 0 ? far / local : 1.0));
}

const Core* Machine::core_of_cpu(int cpu) const {
  for (const Core& core : cores) {
    if (core.siblings.contains(cpu)) return &core;
  }
  return nullptr;
}

}  // namespace charm
