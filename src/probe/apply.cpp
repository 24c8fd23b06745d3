// A machine as the system shows it, corrected by what was measured (profile.hpp). What the system says of caches stands
// where it says anything; the measurement fills what it hides, and disagreement becomes a note.
#include <charm/error.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>

#include "probe/profile.hpp"

namespace charm::probe {
namespace {

// Below this what was measured is shown, but nothing is changed for it.
constexpr double sure_enough = 0.8;

/// The measured chiplets as sets of core ids; empty where a core would fall into two of them.
std::vector<std::vector<int>> measured_chiplets(const Machine& machine, const Profile& profile) {
  std::vector<std::vector<int>> chiplets;
  std::set<int> taken;
  for (const auto& rows : profile.seen.chiplets) {
    std::set<int> cores;
    for (int row : rows) {
      const Core* core = machine.core_of_cpu(profile.cpus[static_cast<std::size_t>(row)]);
      if (core != nullptr) cores.insert(core->id);
    }
    if (cores.empty()) continue;
    for (int core : cores) {
      if (!taken.insert(core).second) return {};
    }
    chiplets.emplace_back(cores.begin(), cores.end());
  }
  if (taken.size() != machine.cores.size()) return {};
  std::sort(chiplets.begin(), chiplets.end());
  return chiplets;
}

bool within_sockets(const Machine& machine, const std::vector<std::vector<int>>& chiplets) {
  return std::all_of(chiplets.begin(), chiplets.end(), [&](const auto& cores) {
    return std::all_of(cores.begin(), cores.end(), [&](int core) {
      return machine.cores[static_cast<std::size_t>(core)].socket ==
             machine.cores[static_cast<std::size_t>(cores[0])].socket;
    });
  });
}

/// Core ids follow chiplets, and chiplets sockets, in all machines; so they are numbered anew.
Machine regrouped(Machine machine, std::vector<std::vector<int>> chiplets) {
  std::sort(chiplets.begin(), chiplets.end(), [&](const auto& a, const auto& b) {
    const int socket_a = machine.cores[static_cast<std::size_t>(a[0])].socket;
    const int socket_b = machine.cores[static_cast<std::size_t>(b[0])].socket;
    return socket_a != socket_b ? socket_a < socket_b : a[0] < b[0];
  });
  std::vector<Core> cores;
  machine.chiplets.clear();
  for (auto& socket : machine.sockets) socket.chiplets.clear();
  for (const auto& members : chiplets) {
    Chiplet chiplet;
    chiplet.id = static_cast<int>(machine.chiplets.size());
    for (int old : members) {
      Core core = machine.cores[static_cast<std::size_t>(old)];
      core.id = static_cast<int>(cores.size());
      core.chiplet = chiplet.id;
      chiplet.cores.push_back(core.id);
      cores.push_back(std::move(core));
    }
    chiplet.node = cores[static_cast<std::size_t>(chiplet.cores[0])].node;
    chiplet.socket = cores[static_cast<std::size_t>(chiplet.cores[0])].socket;
    machine.sockets[static_cast<std::size_t>(chiplet.socket)].chiplets.push_back(chiplet.id);
    machine.chiplets.push_back(std::move(chiplet));
  }
  machine.cores = std::move(cores);
  return machine;
}

/// Median latencies between nodes relative to those within (10, as firmware counts); empty where a pair is missing.
std::vector<std::vector<double>> measured_distances(const Machine& machine, const Profile& profile) {
  std::map<std::pair<int, int>, std::vector<double>> between;
  for (int i = 0; i < profile.latency.rows(); ++i) {
    for (int j = 0; j < i; ++j) {
      const Core* a = machine.core_of_cpu(profile.cpus[static_cast<std::size_t>(i)]);
      const Core* b = machine.core_of_cpu(profile.cpus[static_cast<std::size_t>(j)]);
      if (a == nullptr || b == nullptr || a->id == b->id || !profile.latency.measured(i, j)) continue;
      between[{std::min(a->node, b->node), std::max(a->node, b->node)}].push_back(profile.latency.at(i, j));
    }
  }
  const std::size_t n = machine.nodes.size();
  std::vector<std::vector<double>> distance(n, std::vector<double>(n, 10));
  double local = 0;
  for (std::size_t node = 0; node < n; ++node) {
    const auto own = between.find({static_cast<int>(node), static_cast<int>(node)});
    if (own != between.end()) local = std::max(local, summarise(own->second).median);
  }
  if (local <= 0) return {};
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = a + 1; b < n; ++b) {
      const auto pair = between.find({static_cast<int>(a), static_cast<int>(b)});
      if (pair == between.end()) return {};
      distance[a][b] = distance[b][a] = std::max(10.0, 10 * summarise(pair->second).median / local);
    }
  }
  return distance;
}

}  // namespace

std::string mismatch(const Profile& profile, const Machine& machine) {
  const MachineKey here = key_of(machine);
  const auto differs = [](const std::string& what, const std::string& there, const std::string& now) {
    return "it was measured on a machine with " + what + " " + there + ", here it is " + now;
  };
  if (profile.key.name != here.name) return differs("processor", "'" + profile.key.name + "'", "'" + here.name + "'");
  if (profile.key.cpus != here.cpus)
    return differs("cpus:", std::to_string(profile.key.cpus), std::to_string(here.cpus));
  if (profile.key.cores != here.cores)
    return differs("cores:", std::to_string(profile.key.cores), std::to_string(here.cores));
  if (profile.key.nodes != here.nodes)
    return differs("NUMA nodes:", std::to_string(profile.key.nodes), std::to_string(here.nodes));
  if (profile.key.sockets != here.sockets)
    return differs("sockets:", std::to_string(profile.key.sockets), std::to_string(here.sockets));
  if (profile.key.measured_cpus != here.measured_cpus) {
    return "it was measured on " + std::to_string(profile.key.measured_cpus.size()) +
           " cpus, and this process may use " + std::to_string(here.measured_cpus.size()) + " that are not the same";
  }
  return "";
}

Machine apply_profile(Machine machine, const Profile& profile) {
  if (const std::string why = mismatch(profile, machine); !why.empty()) {
    throw Error(Errc::refused, "the profile of " + profile.date + " does not fit: " + why,
                "measure this machine with 'charm probe'");
  }
  const auto chiplets = measured_chiplets(machine, profile);
  std::vector<std::vector<int>> shown;
  for (const auto& chiplet : machine.chiplets) shown.push_back(chiplet.cores);
  std::sort(shown.begin(), shown.end());
  const bool hidden = machine.chiplet_source != ChipletSource::last_level_cache;
  const bool sure = profile.seen.confidence.chiplets >= sure_enough && !profile.partial;
  if (!chiplets.empty() && chiplets != shown) {
    const std::string what = std::to_string(chiplets.size()) + " chiplets were measured where the system shows " +
                             std::to_string(shown.size());
    // One last-level cache over a whole package, or over several, is what guests are told that hide the real ones.
    const bool coarse = shown.size() <= machine.sockets.size() && chiplets.size() > shown.size();
    if (sure && (hidden || coarse) && within_sockets(machine, chiplets)) {
      machine = regrouped(std::move(machine), chiplets);
      machine.notes.push_back(what + "; the measured ones are used.");
    } else {
      machine.notes.push_back(what + "; those of the system are used.");
    }
  }
  if (machine.nodes.size() > 1 && machine.node_distance.empty() && !profile.partial) {
    machine.node_distance = measured_distances(machine, profile);
    if (!machine.node_distance.empty())
      machine.notes.push_back("Distances between nodes were measured; the system tells none.");
  }
  return machine;
}

}  // namespace charm::probe
