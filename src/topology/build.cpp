#include "topology/build.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "os/machine/cgroup.hpp"
#include "os/threads/affinity.hpp"
#include "topology/chiplets.hpp"
#include "topology/core_kinds.hpp"

namespace charm::topology {
namespace {

CpuSet existing_cpus(const Survey& survey) {
  std::vector<int> cpus;
  for (const SurveyCore& core : survey.cores) cpus.insert(cpus.end(), core.cpus.begin(), core.cpus.end());
  return CpuSet(std::move(cpus));
}

/// Where firmware describes an Arm processor by a device tree, package ids are those of its clusters. No L3 reaches
/// over sockets, so packages of one NUMA node behind one L3 are such clusters, and one socket.
void merge_clusters(Survey& survey, std::vector<std::string>& notes) {
  if (!survey.arm || survey.sockets < 2) return;
  std::vector<int> socket(static_cast<std::size_t>(survey.sockets));
  for (std::size_t s = 0; s < socket.size(); ++s) socket[s] = static_cast<int>(s);
  for (std::size_t l3 = 0; l3 < survey.l3_bytes.size(); ++l3) {
    std::set<int> behind;
    std::set<int> nodes;
    for (const SurveyCore& core : survey.cores) {
      if (core.l3 != static_cast<int>(l3)) continue;
      behind.insert(core.socket < 0 ? -1 : socket[static_cast<std::size_t>(core.socket)]);
      nodes.insert(core.node);
    }
    if (behind.size() < 2 || nodes.size() > 1 || *behind.begin() < 0) continue;
    for (int& s : socket) s = behind.contains(s) ? *behind.begin() : s;
  }
  const std::set<int> left(socket.begin(), socket.end());
  if (left.size() == socket.size()) return;
  const auto number = [&](int old) {
    return static_cast<int>(std::distance(left.begin(), left.find(socket[static_cast<std::size_t>(old)])));
  };
  for (SurveyCore& core : survey.cores) core.socket = core.socket < 0 ? -1 : number(core.socket);
  for (SurveyNode& node : survey.nodes) node.socket = node.socket < 0 ? -1 : number(node.socket);
  notes.push_back("The " + std::to_string(survey.sockets) + " packages of this Arm processor are clusters behind " +
                  (left.size() == 1 ? "one L3 cache: they are taken as one socket."
                                    : "common L3 caches: those of one cache are taken as one socket."));
  survey.sockets = static_cast<int>(left.size());
}

/// QEMU gives each cpu a socket and an L3 of its own unless it is told otherwise. Real machines of four sockets have
/// more cores.
void drop_invented_sockets(Survey& survey, Machine& machine) {
  constexpr int fewest = 4;
  std::set<int> sockets, l3s;
  for (const SurveyCore& core : survey.cores) {
    sockets.insert(core.socket);
    l3s.insert(core.l3);
  }
  const bool alone = sockets.size() == survey.cores.size() && l3s.size() == survey.cores.size();
  if (survey.sockets < fewest || !alone || sockets.contains(-1) || l3s.contains(-1)) return;
  machine.doubts.push_back("Each of the " + std::to_string(survey.cores.size()) +
                           " cores is said to have a socket and an L3 cache of its own, as virtual machines invent "
                           "them: the cores are taken as one socket without L3 caches.");
  machine.notes.push_back(machine.doubts.back());
  for (SurveyCore& core : survey.cores) {
    core.socket = 0;
    core.l3 = -1;
  }
  for (SurveyNode& node : survey.nodes) node.socket = 0;
  survey.l3_bytes.clear();
  survey.sockets = 1;
}

/// Gives every core a socket and a node, so that later steps need not check for missing ones.
void complete(Survey& survey, std::vector<std::string>& notes) {
  if (!survey.cores_known) notes.emplace_back("Cores cannot be told apart: every hardware thread is taken as a core.");
  if (survey.nodes.empty()) {
    survey.nodes.push_back({0, 0, -1, ""});
    survey.allowed_nodes = {0};
    survey.node_distance.clear();
    notes.emplace_back("No NUMA information: all memory is taken as one node.");
  }
  if (survey.sockets == 0) {
    survey.sockets = 1;
    for (SurveyCore& core : survey.cores) core.socket = 0;
    for (SurveyNode& node : survey.nodes) node.socket = 0;
    notes.emplace_back("Sockets cannot be told apart: all cores are taken as one socket.");
  }
  bool outside = false;
  bool homeless = false;
  for (SurveyCore& core : survey.cores) {
    if (core.socket < 0) {
      core.socket = survey.sockets;
      outside = true;
    }
    if (core.node >= 0) continue;
    homeless = true;
    core.node = 0;
    for (std::size_t n = survey.nodes.size(); n-- > 0;) {
      if (survey.nodes[n].socket == core.socket) core.node = static_cast<int>(n);
    }
  }
  if (outside) {
    ++survey.sockets;
    notes.emplace_back("Some cores belong to no socket: they are taken as one more.");
  }
  if (homeless) notes.emplace_back("Some cores belong to no NUMA node: the first of their socket is taken as theirs.");
  // Whatever the source says of a node, its cores say which socket it belongs to.
  std::vector<std::set<int>> sockets_of(survey.nodes.size());
  for (const SurveyCore& core : survey.cores) sockets_of[static_cast<std::size_t>(core.node)].insert(core.socket);
  for (std::size_t n = 0; n < survey.nodes.size(); ++n) {
    const std::set<int>& sockets = sockets_of[n];
    if (sockets.empty()) continue;
    survey.nodes[n].socket = sockets.size() == 1 ? *sockets.begin() : -1;
    if (sockets.size() > 1) {
      notes.push_back("NUMA node " + std::to_string(survey.nodes[n].os_index) + " spans " +
                      std::to_string(sockets.size()) + " sockets: which memory is near to which socket is unknown.");
    }
  }
}

std::string count_of(const CpuSet& some, const CpuSet& all) {
  return std::to_string(some.size()) + " of " + std::to_string(all.size()) + " cpus (" + some.to_text() + ")";
}

CpuSet allowed_of(const Survey& survey, const Restrictions& restrictions, std::vector<std::string>& notes) {
  const CpuSet existing = existing_cpus(survey);
  const CpuSet hidden = survey.all_cpus - existing;
  if (!hidden.empty()) notes.push_back(count_of(hidden, survey.all_cpus) + " are hidden: offline or forbidden.");
  CpuSet allowed = existing & survey.allowed_cpus;
  if (allowed.empty()) {
    throw Error(Errc::bad_input, "topology '" + survey.origin + "' allows no cpu",
                "describe a machine with at least one usable cpu");
  }
  auto narrow = [&](const std::optional<CpuSet>& by, const std::string& whose) {
    if (!by) return;
    CpuSet left = allowed & *by;
    if (left.empty()) {
      notes.push_back("The " + whose + " names no cpu of this machine and is ignored.");
    } else {
      allowed = std::move(left);
    }
  };
  // The kernel reduces the mask to the cpuset, so a cpu may be missing in both. The cgroup is named as the reason,
  // since it lasts longer.
  narrow(restrictions.cgroup_cpus, "cgroup's cpuset");
  if (CpuSet out = existing - allowed; !out.empty()) {
    notes.push_back(count_of(out, survey.all_cpus) + " are forbidden by the cgroup's cpuset.");
  }
  const CpuSet before = allowed;
  narrow(restrictions.affinity, "affinity mask");
  if (CpuSet out = before - allowed; !out.empty()) {
    notes.push_back(count_of(out, survey.all_cpus) + " are forbidden by the affinity mask.");
  }
  return allowed;
}

/// "NUMA node 3", "NUMA nodes 2-33".
std::string nodes_text(const OsNodeSet& nodes) {
  return (nodes.size() == 1 ? "NUMA node " : "NUMA nodes ") + nodes.to_text();
}

/// Nodes whose memory may be used, and those that allowed cores are local to, as indices into the survey.
std::vector<int> usable_nodes(const Survey& survey, const Restrictions& restrictions, const std::set<int>& local,
                              std::vector<std::string>& notes) {
  OsNodeSet allowed = survey.allowed_nodes;
  if (restrictions.cgroup_nodes) {
    if (OsNodeSet left = allowed & *restrictions.cgroup_nodes; !left.empty()) allowed = std::move(left);
  }
  const bool sizes_known =
      std::any_of(survey.nodes.begin(), survey.nodes.end(), [](const SurveyNode& node) { return node.bytes > 0; });
  std::vector<int> usable;
  OsNodeSet empty;
  for (std::size_t n = 0; n < survey.nodes.size(); ++n) {
    const int os_index = survey.nodes[n].os_index;
    const bool memory = allowed.contains(os_index);
    const bool cores = local.count(static_cast<int>(n)) > 0;
    if (!cores && sizes_known && survey.nodes[n].bytes == 0) {
      empty.insert(os_index);
      continue;
    }
    if (memory || cores) usable.push_back(static_cast<int>(n));
    if (!memory && cores) {
      notes.push_back("The memory of NUMA node " + std::to_string(os_index) +
                      " is forbidden though some of its cpus are allowed.");
    }
  }
  if (!empty.empty()) {
    notes.push_back(
        nodes_text(empty) + (empty.size() == 1 ? " has" : " have") +
        " neither memory nor usable cpus (places for the parts of a GPU, or for memory that is not there) " +
        (empty.size() == 1 ? "and is left out." : "and are left out."));
  }
  return usable;
}

/// Scales so that local is 10, as firmware tables have it. Unknown pairs count as the farthest.
std::vector<std::vector<double>> normalised(const Survey& survey, const std::vector<int>& nodes,
                                            std::vector<std::string>& notes) {
  if (nodes.size() == 1) return {{10}};
  if (survey.node_distance.empty()) return {};
  auto known = [&](std::size_t a, std::size_t b) {
    return survey.node_distance[static_cast<std::size_t>(nodes[a])][static_cast<std::size_t>(nodes[b])];
  };
  double local = 0;
  double nearest = 0;
  double farthest = 0;
  bool missing = false;
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    for (std::size_t b = 0; b < nodes.size(); ++b) {
      double d = known(a, b);
      if (d <= 0) missing = missing || a != b;
      if (d <= 0) continue;
      double& least = a == b ? local : nearest;
      if (least == 0 || d < least) least = d;
      farthest = std::max(farthest, d);
    }
  }
  if (nearest == 0) return {};
  if (local == 0) local = nearest / 2;  // the usual ratio, where a measured table leaves its diagonal out
  if (missing) notes.emplace_back("Some NUMA distances are unknown: they are taken as the largest known one.");
  std::vector<std::vector<double>> matrix(nodes.size(), std::vector<double>(nodes.size(), 10));
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    for (std::size_t b = 0; b < nodes.size(); ++b) {
      double d = known(a, b);
      if (d > 0) matrix[a][b] = 10 * d / local;
      if (d <= 0 && a != b) matrix[a][b] = 10 * farthest / local;
    }
  }
  return matrix;
}

/// \param of ascending.
int position(const std::vector<int>& of, int value) {
  const auto it = std::lower_bound(of.begin(), of.end(), value);
  return it == of.end() || *it != value ? -1 : static_cast<int>(it - of.begin());
}

/// The cluster that a core is in: by what the kernel says, else by the L2 that it shares.
std::pair<int, int> cluster_of(const SurveyCore& core) {
  return core.cluster >= 0 ? std::pair(0, core.cluster) : std::pair(1, core.l2);
}

/// Numbers for the clusters within a group, from `next` on; the rest of its cores have -1.
std::map<std::pair<int, int>, int> clusters_within(const Survey& survey, const ChipletGroup& group, int& next) {
  std::map<std::pair<int, int>, std::size_t> sizes;
  for (int index : group.cores) ++sizes[cluster_of(survey.cores[static_cast<std::size_t>(index)])];
  std::map<std::pair<int, int>, int> numbers;
  for (const auto& [cluster, size] : sizes) {
    const bool known = cluster.second >= 0 && size > 1 && size < group.cores.size();
    numbers[cluster] = known ? next++ : -1;
  }
  return numbers;
}

void add_cores(Machine& machine, const Survey& survey, const std::vector<CoreSpeed>& speeds, const ChipletGroup& group,
               int& clusters) {
  Chiplet chiplet;
  chiplet.id = static_cast<int>(machine.chiplets.size());
  chiplet.total_cores = static_cast<int>(group.cores.size());
  chiplet.l3_bytes = group.l3_bytes;
  chiplet.cache_level = group.cache_level;
  const auto numbers = clusters_within(survey, group, clusters);
  for (std::size_t position = 0; position < group.cores.size(); ++position) {
    const auto index = static_cast<std::size_t>(group.cores[position]);
    const SurveyCore& from = survey.cores[index];
    Core core;
    core.position = static_cast<int>(position);
    core.siblings = from.cpus & machine.allowed_cpus;
    if (core.siblings.empty()) continue;
    core.id = static_cast<int>(machine.cores.size());
    core.cpu = core.siblings.front();
    core.chiplet = chiplet.id;
    core.node = from.node;  // of the survey until all nodes that remain are known
    core.socket = from.socket;
    core.l1d_bytes = from.l1d_bytes;
    core.l2_bytes = from.l2_bytes;
    core.kind = speeds[index].kind;
    core.capacity = speeds[index].capacity;
    core.cluster = numbers.at(cluster_of(from));
    chiplet.cores.insert(core.id);
    machine.cores.push_back(std::move(core));
  }
  if (!chiplet.cores.empty()) machine.chiplets.push_back(std::move(chiplet));
}

void note_memory(const Machine& machine, std::vector<std::string>& notes) {
  const bool none = std::all_of(machine.nodes.begin(), machine.nodes.end(), [](const Node& n) { return n.bytes == 0; });
  if (none) {
    notes.emplace_back("Memory sizes are unknown.");
    return;
  }
  OsNodeSet without;
  for (const Node& node : machine.nodes) {
    if (node.bytes == 0) without.insert(node.os_index);
  }
  if (!without.empty())
    notes.push_back(nodes_text(without) +
                    (without.size() == 1 ? " has no memory of its own." : " have no memory of their own."));
}

}  // namespace

Machine build(Survey survey, const Restrictions& restrictions) {
  Machine machine;
  machine.name = survey.name;
  machine.origin = survey.origin;
  machine.notes = survey.notes;
  merge_clusters(survey, machine.notes);
  drop_invented_sockets(survey, machine);
  complete(survey, machine.notes);
  machine.allowed_cpus = allowed_of(survey, restrictions, machine.notes);
  machine.forbidden_cpus = survey.all_cpus - machine.allowed_cpus;
  machine.cpu_quota = restrictions.cpu_quota;
  // Judged on all cores that exist: a mask must not turn half of a cache into another kind of cache.
  ChipletGroups grouped = group_chiplets(survey);
  machine.chiplet_source = grouped.source;
  machine.notes.insert(machine.notes.begin(), grouped.notes.begin(), grouped.notes.end());
  machine.doubts.insert(machine.doubts.begin(), grouped.doubts.begin(), grouped.doubts.end());
  const std::vector<CoreSpeed> speeds = core_speeds(survey);
  int clusters = 0;
  for (const ChipletGroup& group : grouped.groups) add_cores(machine, survey, speeds, group, clusters);

  std::set<int> local_nodes;
  std::set<int> sockets;
  for (const Core& core : machine.cores) {
    local_nodes.insert(core.node);
    sockets.insert(core.socket);
  }
  const std::vector<int> nodes = usable_nodes(survey, restrictions, local_nodes, machine.notes);
  for (int n : nodes) {
    if (int socket = survey.nodes[static_cast<std::size_t>(n)].socket; socket >= 0) sockets.insert(socket);
  }
  const std::vector<int> socket_order(sockets.begin(), sockets.end());

  for (std::size_t s = 0; s < socket_order.size(); ++s) machine.sockets.push_back({static_cast<int>(s), {}, {}});
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const SurveyNode& from = survey.nodes[static_cast<std::size_t>(nodes[n])];
    Node node;
    node.id = static_cast<int>(n);
    node.os_index = from.os_index;
    node.bytes = from.bytes;
    node.kind = from.kind;
    node.firmware_gb_per_s = from.gb_per_s;
    node.firmware_latency_ns = from.latency_ns;
    node.socket = from.socket < 0 ? -1 : position(socket_order, from.socket);
    if (node.socket >= 0) machine.sockets[static_cast<std::size_t>(node.socket)].nodes.insert(node.id);
    machine.nodes.push_back(std::move(node));
  }
  std::vector<std::vector<int>> cpus_of_node(machine.nodes.size());
  for (Core& core : machine.cores) {
    core.node = position(nodes, core.node);
    core.socket = position(socket_order, core.socket);
    auto& cpus = cpus_of_node[static_cast<std::size_t>(core.node)];
    cpus.insert(cpus.end(), core.siblings.begin(), core.siblings.end());
  }
  for (Node& node : machine.nodes) node.cpus = CpuSet(std::move(cpus_of_node[static_cast<std::size_t>(node.id)]));
  for (Chiplet& chiplet : machine.chiplets) {
    const Core& first = machine.cores[static_cast<std::size_t>(chiplet.cores.front())];
    chiplet.node = first.node;
    chiplet.socket = first.socket;
    machine.sockets[static_cast<std::size_t>(chiplet.socket)].chiplets.insert(chiplet.id);
  }
  machine.node_distance = normalised(survey, nodes, machine.notes);
  machine.total.cpus = static_cast<int>(survey.all_cpus.size());
  machine.total.cores = static_cast<int>(survey.cores.size());
  machine.total.nodes = std::max(survey.all_nodes, static_cast<int>(survey.nodes.size()));
  machine.total.sockets = survey.sockets;
  note_memory(machine, machine.notes);
  if (machine.cpu_quota > 0 && machine.cpu_quota < static_cast<double>(machine.allowed_cpus.size())) {
    std::string quota = std::to_string(machine.cpu_quota);
    machine.notes.push_back("The cgroup grants " + quota.substr(0, quota.find('.') + 3) + " cpus' worth of time to " +
                            std::to_string(machine.allowed_cpus.size()) + " allowed cpus.");
  }
  return machine;
}

Restrictions restrictions_here(const std::string& root) {
  Restrictions restrictions;
  if (auto mask = os::allowed_cpus(); !mask.empty()) restrictions.affinity = std::move(mask);
  os::CgroupLimits limits = os::read_cgroup_limits(root);
  restrictions.cgroup_cpus = std::move(limits.cpus);
  restrictions.cgroup_nodes = std::move(limits.nodes);
  restrictions.cpu_quota = limits.cpu_quota;
  return restrictions;
}

}  // namespace charm::topology
