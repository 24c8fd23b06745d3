// The members of charm::Machine (include/charm/machine.hpp): where a machine is read from, and distances on it.
#include <charm/error.hpp>
#include <charm/machine.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/notices.hpp"
#include "topology/build.hpp"
#include "topology/survey.hpp"

namespace charm {

Machine Machine::discover() {
  Machine machine = topology::discover_quietly(std::getenv("CHARM_TOPOLOGY"));
  if (machine.chiplet_source != ChipletSource::last_level_cache) {
    base::notice("topology-chiplets",
                 "No usable L3 cache information on this machine: " +
                     std::string(machine.chiplet_source == ChipletSource::socket ? "sockets" : "NUMA nodes") +
                     " stand in for chiplets ('charm topo' shows what was found).");
  }
  return machine;
}

Machine Machine::from(std::string_view xml_file_or_synthetic) {
  const std::string text(xml_file_or_synthetic);
  if (text.find_first_not_of(" \t\n") == std::string::npos) {
    throw Error(Errc::bad_input, "the topology's name is empty",
                "name an hwloc XML file or write a string such as 'pack:2 l3:8 core:8 pu:2'");
  }
  std::error_code ignored;
  // No level of a synthetic string has a dot or a slash in its name; memory sizes have no dot either.
  const bool file = std::filesystem::exists(text, ignored) || text.find_first_of("/.") != std::string::npos;
  return topology::build(file ? topology::survey_file(text) : topology::survey_synthetic(text));
}

double Machine::distance(int core_a, int core_b) const {
  const Core& a = cores.at(static_cast<std::size_t>(core_a));
  const Core& b = cores.at(static_cast<std::size_t>(core_b));
  if (a.id == b.id) return 0;
  if (a.chiplet == b.chiplet) return 1;
  if (a.socket == b.socket) return a.node == b.node ? 2 : 3;
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
    if (std::find(core.siblings.begin(), core.siblings.end(), cpu) != core.siblings.end()) return &core;
  }
  return nullptr;
}

}  // namespace charm
