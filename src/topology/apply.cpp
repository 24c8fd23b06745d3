// Applies a measured profile (profile.hpp) to the machine that the system describes. Where the system describes caches,
// the system is followed; the measurement fills in what it hides, and a disagreement becomes a note.
#include <charm/error.hpp>

#include <algorithm>
#include <cstddef>
#include <map>

#include "topology/profile.hpp"
#include "topology/regrouped.hpp"

namespace charm::topology {
namespace {

// Below this confidence the measurement is shown, but the machine is not changed.
constexpr double sure_enough = 0.8;
// Measured groups of so few cores are not taken as chiplets, as clusters of so few are not (chiplets.cpp).
constexpr std::size_t most_of_a_measured_pair = 2;

/// The cores of each measured chiplet; empty where a core would fall into two of them.
std::vector<CoreSet> measured_chiplets(const Machine& machine, const ProfilePicture& profile) {
  std::vector<CoreSet> chiplets;
  CoreSet taken;
  for (const auto& rows : profile.chiplets) {
    CoreSet cores;
    for (int row : rows) {
      const Core* core = machine.core_of_cpu(profile.cpus[static_cast<std::size_t>(row)]);
      if (core != nullptr) cores.insert(core->id);
    }
    if (cores.empty()) continue;
    if (cores.intersects(taken)) return {};
    taken |= cores;
    // A chiplet lies in one node, always: where the system cuts it, each node has its part.
    std::map<int, CoreSet> parts;
    for (int core : cores) parts[machine.cores[static_cast<std::size_t>(core)].node].insert(core);
    for (auto& [node, part] : parts) chiplets.push_back(std::move(part));
  }
  if (taken.size() != machine.cores.size()) return {};
  std::sort(chiplets.begin(), chiplets.end());
  return chiplets;
}

bool within_sockets(const Machine& machine, const std::vector<CoreSet>& chiplets) {
  return std::all_of(chiplets.begin(), chiplets.end(), [&](const auto& cores) {
    return std::all_of(cores.begin(), cores.end(), [&](int core) {
      return machine.cores[static_cast<std::size_t>(core)].socket ==
             machine.cores[static_cast<std::size_t>(cores[0])].socket;
    });
  });
}

/// A table by the profile's nodes as one by the machine's; empty where a node is missing.
std::vector<std::vector<double>> by_nodes_of(const Machine& machine, const ProfilePicture& profile,
                                             const std::vector<std::vector<double>>& table) {
  if (table.empty()) return {};
  std::vector<std::size_t> row;
  for (const Node& node : machine.nodes) {
    const auto at = std::find(profile.node_os.begin(), profile.node_os.end(), node.os_index);
    if (at == profile.node_os.end()) return {};
    row.push_back(static_cast<std::size_t>(at - profile.node_os.begin()));
  }
  std::vector<std::vector<double>> own(row.size(), std::vector<double>(row.size(), 0));
  for (std::size_t a = 0; a < row.size(); ++a) {
    for (std::size_t b = 0; b < row.size(); ++b) own[a][b] = table[row[a]][row[b]];
  }
  return own;
}

/// Latencies between nodes relative to those within (10, as firmware counts); empty where a pair is missing.
std::vector<std::vector<double>> measured_distances(const std::vector<std::vector<double>>& latency) {
  double local = 0;
  for (std::size_t a = 0; a < latency.size(); ++a) local = std::max(local, latency[a][a]);
  if (local <= 0) return {};
  std::vector<std::vector<double>> distance(latency.size(), std::vector<double>(latency.size(), 10));
  for (std::size_t a = 0; a < latency.size(); ++a) {
    for (std::size_t b = 0; b < latency.size(); ++b) {
      if (a == b) continue;
      if (latency[a][b] <= 0) return {};
      distance[a][b] = std::max(10.0, 10 * latency[a][b] / local);
    }
  }
  return distance;
}

}  // namespace

std::string mismatch(const ProfileKey& key, const Machine& machine) {
  const ProfileKey here = key_of(machine);
  const auto differs = [](const std::string& what, const std::string& there, const std::string& now) {
    return "it was measured on a machine with " + what + " " + there + ", here it is " + now;
  };
  if (key.name != here.name) return differs("processor", "'" + key.name + "'", "'" + here.name + "'");
  if (key.cpus != here.cpus) return differs("cpus:", std::to_string(key.cpus), std::to_string(here.cpus));
  if (key.cores != here.cores) return differs("cores:", std::to_string(key.cores), std::to_string(here.cores));
  if (key.nodes != here.nodes) return differs("NUMA nodes:", std::to_string(key.nodes), std::to_string(here.nodes));
  if (key.sockets != here.sockets)
    return differs("sockets:", std::to_string(key.sockets), std::to_string(here.sockets));
  if (key.measured_cpus != here.measured_cpus) {
    return "it was measured on " + std::to_string(key.measured_cpus.size()) + " cpus (" + key.measured_cpus.to_text() +
           "), and this process may use others: " + std::to_string(here.measured_cpus.size()) + " (" +
           here.measured_cpus.to_text() + ")";
  }
  return "";
}

Machine apply_profile(Machine machine, const ProfilePicture& profile) {
  if (const std::string why = mismatch(profile.key, machine); !why.empty()) {
    throw Error(Errc::refused, "the profile of " + profile.date + " does not fit: " + why,
                "measure this machine with 'charm probe'");
  }
  const auto chiplets = measured_chiplets(machine, profile);
  std::vector<CoreSet> shown;
  for (const auto& chiplet : machine.chiplets) shown.push_back(chiplet.cores);
  std::sort(shown.begin(), shown.end());
  const bool hidden = machine.chiplet_source != ChipletSource::last_level_cache;
  const bool believed = !profile.partial && profile.doubts.empty();
  const bool sure = profile.chiplet_confidence >= sure_enough && believed;
  for (const std::string& doubt : profile.doubts) {
    machine.notes.push_back("The measured profile is doubtful, so that nothing but its numbers is used: " + doubt +
                            "; measure again with 'charm probe' when the machine is quiet.");
  }
  if (!chiplets.empty() && chiplets != shown) {
    const std::string what = std::to_string(chiplets.size()) + " chiplets were measured where the system shows " +
                             std::to_string(shown.size());
    // One last-level cache over a whole package, or over several, is what guests are told that hide the real ones.
    const bool coarse = shown.size() <= machine.sockets.size() && chiplets.size() > shown.size();
    const bool pairs = std::all_of(chiplets.begin(), chiplets.end(),
                                   [](const CoreSet& cores) { return cores.size() <= most_of_a_measured_pair; });
    if (sure && pairs && (hidden || coarse)) {
      machine.notes.push_back(std::to_string(chiplets.size()) +
                              " groups of one or two cores were measured, which are too small for chiplets; what the "
                              "system shows is used.");
    } else if (sure && (hidden || coarse) && within_sockets(machine, chiplets)) {
      std::vector<Chiplet> measured;
      for (const CoreSet& cores : chiplets) measured.push_back({.cores = cores});
      machine = regrouped(std::move(machine), std::move(measured));
      machine.chiplet_source = ChipletSource::measured;
      machine.notes.push_back(what + "; the measured ones are used.");
    } else {
      machine.notes.push_back(what + "; those of the system are used.");
    }
  }
  machine.measured = profile.measured;
  machine.measured.profile = profile.file;
  machine.measured.date = profile.date;
  machine.measured.doubts = profile.doubts;
  machine.measured.node_latency_ns = by_nodes_of(machine, profile, profile.measured.node_latency_ns);
  machine.measured.memory_latency_ns = by_nodes_of(machine, profile, profile.measured.memory_latency_ns);
  machine.measured.node_gb_per_s = by_nodes_of(machine, profile, profile.measured.node_gb_per_s);
  if (machine.nodes.size() > 1 && machine.node_distance.empty() && believed) {
    machine.node_distance = measured_distances(machine.measured.node_latency_ns);
    if (!machine.node_distance.empty())
      machine.notes.push_back("Distances between nodes were measured; the system reports none.");
  }
  return machine;
}

}  // namespace charm::topology
