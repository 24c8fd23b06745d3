#include "tools/machine_view/views.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/format.hpp"
#include "base/id_sets.hpp"
#include "placement/kinds.hpp"
#include "tools/machine_view/text.hpp"

namespace charm::machine_view {
namespace {

template <typename Key>
void put(std::map<Key, CpuSet>& groups, const Key& key, int cpu) {
  groups[key].insert(cpu);
}

template <typename Key>
CpuGroups sorted(std::map<Key, CpuSet> groups) {
  CpuGroups all;
  for (auto& [key, cpus] : groups) all.push_back(std::move(cpus));
  std::sort(all.begin(), all.end());
  return all;
}

/// Before any judgement: an L3 over two packages is shown as one.
View view_of(const topology::Survey& survey, const std::string& source) {
  std::map<int, CpuSet> cores, chiplets, nodes, sockets;
  for (std::size_t i = 0; i < survey.cores.size(); ++i) {
    const auto& core = survey.cores[i];
    for (int cpu : core.cpus) {
      put(cores, static_cast<int>(i), cpu);
      if (core.l3 >= 0) put(chiplets, core.l3, cpu);
      if (core.node >= 0) put(nodes, core.node, cpu);
      if (core.socket >= 0) put(sockets, core.socket, cpu);
    }
  }
  return {source, survey.cores_known ? sorted(cores) : CpuGroups{}, sorted(chiplets), sorted(nodes), sorted(sockets)};
}

/// Where no survey is kept: a profile's machine.
View view_of(const Machine& machine) {
  std::map<int, CpuSet> cores, chiplets, nodes, sockets;
  for (const Core& core : machine.cores) {
    for (int cpu : core.siblings) {
      put(cores, core.id, cpu);
      if (machine.chiplet_source == ChipletSource::last_level_cache || machine.chiplet_source == ChipletSource::cluster)
        put(chiplets, core.chiplet, cpu);
      put(nodes, core.node, cpu);
      put(sockets, core.socket, cpu);
    }
  }
  return {"system", sorted(cores), sorted(chiplets), sorted(nodes), sorted(sockets)};
}

View view_of(const topology::ProfilePicture& picture) {
  View view;
  view.source = "measured";
  for (const auto& rows : picture.chiplets) {
    CpuSet cpus;
    for (int row : rows) cpus.insert(picture.cpus[static_cast<std::size_t>(row)]);
    view.chiplets.push_back(std::move(cpus));
  }
  std::sort(view.chiplets.begin(), view.chiplets.end());
  return view;
}

CpuSet cpus_of(const CpuGroups& groups) {
  CpuSet all;
  for (const auto& group : groups) all |= group;
  return all;
}

/// Without the cpus that the other source does not speak of.
CpuGroups restricted(const CpuGroups& groups, const CpuSet& to) {
  CpuGroups left;
  for (const auto& group : groups) {
    if (CpuSet cpus = group & to; !cpus.empty()) left.push_back(std::move(cpus));
  }
  std::sort(left.begin(), left.end());
  return left;
}

/// Whether every group of `fine` lies within one of `coarse`.
bool within(const CpuGroups& fine, const CpuGroups& coarse) {
  return std::all_of(fine.begin(), fine.end(), [&](const CpuSet& group) {
    return std::any_of(coarse.begin(), coarse.end(), [&](const CpuSet& around) { return group.is_subset_of(around); });
  });
}

std::string reason(const std::string& level, const View& a, const View& b, const CpuGroups& of_a, const CpuGroups& of_b,
                   bool hypervisor) {
  const std::string guest = hypervisor ? "this hypervisor" : "a hypervisor";
  if (!within(of_a, of_b) && !within(of_b, of_a))
    return "they cut across each other: the numbering of cpus that one of them was given is not the hardware's";
  const bool a_is_finer = of_a.size() > of_b.size();
  const View& coarse = a_is_finer ? b : a;
  const View& fine = a_is_finer ? a : b;
  if (level == "chiplets" && fine.source == "measured")
    return "the " + coarse.source + " hides what the latencies show, as " + guest +
           " does, or one L3 in slices that are reported as a whole";
  if (level == "chiplets" && coarse.source == "measured")
    return "the latencies show no step between caches that the " + fine.source +
           " tells apart: they may be one, or the measurement was disturbed";
  if (level == "chiplets" && fine.source == "system")
    return "the system's caches end where its nodes or packages do, which the processor's do not (sub-NUMA clustering, "
           "or " +
           guest + "'s layout)";
  if (level == "nodes") return "firmware or " + guest + " may merge or split the memory that the processor has";
  if (level == "cores") return "SMT siblings are reported by one alone, as " + guest + " does that hides them";
  return guest + " reports a shape of its own";
}

std::vector<Disagreement> disagreements_of(const std::vector<View>& views, bool hypervisor) {
  struct LevelOf {
    const char* name;
    CpuGroups View::* groups;
  };
  static constexpr LevelOf levels[] = {
      {"cores", &View::cores}, {"chiplets", &View::chiplets}, {"nodes", &View::nodes}, {"sockets", &View::sockets}};
  std::vector<Disagreement> all;
  for (const auto& level : levels) {
    for (std::size_t a = 0; a < views.size(); ++a) {
      for (std::size_t b = a + 1; b < views.size(); ++b) {
        const CpuGroups& of_a = views[a].*level.groups;
        const CpuGroups& of_b = views[b].*level.groups;
        const std::string between = views[a].source + " and " + views[b].source;
        if (of_a.empty() != of_b.empty() && std::string(level.name) == "chiplets") {
          const View& reporting = of_a.empty() ? views[b] : views[a];
          const View& silent = of_a.empty() ? views[a] : views[b];
          all.push_back({level.name, between,
                         "the " + silent.source + " reports no last-level cache, " + reporting.source + " has " +
                             base::counted((reporting.*level.groups).size(), "chiplet")});
          continue;
        }
        const CpuGroups left = restricted(of_a, cpus_of(of_b));
        const CpuGroups right = restricted(of_b, cpus_of(of_a));
        if (left == right) continue;
        all.push_back({level.name, between,
                       views[a].source + " " + std::to_string(left.size()) + ", " + views[b].source + " " +
                           std::to_string(right.size()) + ": " +
                           reason(level.name, views[a], views[b], left, right, hypervisor)});
      }
    }
  }
  return all;
}

/// An L3 that no processor has: over packages, or in pieces that meet at a node's boundary.
void add_implausible(const View& system, bool arm, std::vector<Disagreement>& all) {
  for (const auto& cache : system.chiplets) {
    int sockets = 0;
    for (const auto& socket : system.sockets) sockets += cache.intersects(socket);
    // Packages of an Arm processor may be its clusters, which topology/build.cpp takes as one socket.
    const bool clusters = arm && std::any_of(system.nodes.begin(), system.nodes.end(),
                                             [&](const CpuSet& node) { return cache.is_subset_of(node); });
    if (sockets > 1 && !clusters) {
      all.push_back(
          {"chiplets", "system and itself",
           "one L3 over " + std::to_string(sockets) + " sockets, which no processor has: a hypervisor's invention"});
      return;
    }
  }
}

std::vector<std::string> features_of(const Machine& m, const Sources& sources,
                                     const std::vector<topology::SurveyKind>& kinds) {
  std::vector<std::string> features;
  std::set<std::size_t> sizes;
  std::set<std::uint64_t> caches;
  for (const Chiplet& chiplet : m.chiplets) {
    sizes.insert(chiplet.cores.size());
    if (chiplet.l3_bytes > 0) caches.insert(chiplet.l3_bytes);
  }
  if (sizes.size() > 1) {
    features.push_back("Chiplets of unequal size: " + std::to_string(*sizes.begin()) + " to " +
                       std::to_string(*sizes.rbegin()) + " cores" +
                       (m.forbidden_cpus.empty() ? "." : ", as far as they may be used."));
  }
  if (caches.size() > 1 && sizes.size() == 1) {
    std::size_t large = 0;
    for (const Chiplet& chiplet : m.chiplets) large += chiplet.l3_bytes == *caches.rbegin();
    // AMD stacks twice as much on the cache that is there.
    const bool stacked = *caches.rbegin() == 3 * *caches.begin();
    features.push_back("Equal chiplets with caches of " + base::format_bytes(*caches.begin()) + " to " +
                       base::format_bytes(*caches.rbegin()) +
                       (stacked ? ": " + base::counted(large, "chiplet") + " with a stacked cache (V-Cache)." : "."));
  }
  if (const std::string of_placement = placement::kinds_text(m); !of_placement.empty()) {
    features.push_back("Kinds of cores: " + of_placement + "; the faster ones get workers first" +
                       (placement::usual_cores(m) < static_cast<int>(m.cores.size())
                            ? ", low-power ones only if they are asked for."
                            : "."));
  }
  if (kinds.size() > 1) {
    std::string text = "Cores of " + std::to_string(kinds.size()) + " kinds:";
    for (const auto& kind : kinds) {
      text += (text.back() == ':' ? " " : "; ") +
              (kind.name.empty() ? "efficiency rank " + std::to_string(kind.efficiency) : kind.name) + " cpus " +
              format_cpus(kind.cpus);
    }
    features.push_back(text + ".");
  }
  // Whether its cpus are only forbidden is not kept; where none is, there are none.
  std::map<std::pair<std::string, std::uint64_t>, OsNodeSet> without_cpus;
  for (const Node& node : m.nodes) {
    if (node.cpus.empty() && m.forbidden_cpus.empty())
      without_cpus[{node.kind.empty() || node.kind == "DRAM" ? "memory" : node.kind + " memory", node.bytes}].insert(
          node.os_index);
  }
  for (const auto& [what, nodes] : without_cpus) {
    const bool one = nodes.size() == 1;
    features.push_back((one ? "Node " : "Nodes ") + nodes.to_text() + (one ? " is " : " are ") + what.first +
                       " without cpus" + (what.second > 0 ? ", " + base::format_bytes(what.second) : "") +
                       (one || what.second == 0 ? "." : " each."));
  }
  if (sources.system) {
    std::vector<int> online;
    for (const auto& core : sources.system->cores) online.insert(online.end(), core.cpus.begin(), core.cpus.end());
    const CpuSet offline = sources.system->all_cpus - CpuSet(std::move(online));
    if (!offline.empty())
      features.push_back("Offline or hidden: " + base::counted(offline.size(), "cpu") + " (" + format_cpus(offline) +
                         ").");
  }
  return features;
}

}  // namespace

Views compare(Machine machine, const Sources& sources) {
  Views all;
  all.machine = std::move(machine);
  if (sources.system) {
    all.views.push_back(view_of(*sources.system, "system"));
    all.kinds = sources.system->kinds;
  } else if (sources.profile && sources.profile->machine) {
    all.views.push_back(view_of(*sources.profile->machine));
  }
  if (sources.processors && !sources.processors->cores.empty()) {
    all.views.push_back(view_of(*sources.processors, "cpuid"));
    if (all.kinds.empty()) all.kinds = sources.processors->kinds;
  }
  if (sources.profile) all.views.push_back(view_of(*sources.profile));
  all.disagreements = disagreements_of(all.views, sources.guest);
  if (!all.views.empty() && all.views.front().source == "system")
    add_implausible(all.views.front(), sources.system && sources.system->arm, all.disagreements);
  all.features = features_of(all.machine, sources, all.kinds);
  return all;
}

}  // namespace charm::machine_view
