#include "topology/survey_of.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace charm::topology {
namespace {

using Object = hwloc_obj_t;

template <class Set>
Set set_of(hwloc_const_bitmap_t set) {
  Set numbers;
  // An infinite bitmap would never end; hwloc's own sets of a loaded topology are finite, those of a bad file may not
  // be.
  if (set == nullptr || hwloc_bitmap_weight(set) < 0) return numbers;
  for (int i = hwloc_bitmap_first(set); i >= 0; i = hwloc_bitmap_next(set, i)) numbers.insert(i);
  return numbers;
}

/// Objects of a type that has one depth in every topology: hardware threads and NUMA nodes.
std::vector<Object> all_of(hwloc_topology_t topology, hwloc_obj_type_t type) {
  std::vector<Object> objects;
  for (Object o = nullptr; (o = hwloc_get_next_obj_by_type(topology, type, o)) != nullptr;) objects.push_back(o);
  return objects;
}

Object ancestor(Object object, hwloc_obj_type_t type) {
  while (object != nullptr && object->type != type) object = object->parent;
  return object;
}

/// Numbers objects by the order in which they are met. hwloc's own numbers count within a depth, and caches, packages
/// and groups may lie at several.
class Numbering {
 public:
  /// -1 of none.
  int of(Object object) {
    if (object == nullptr) return -1;
    const auto [at, is_new] = numbers_.try_emplace(object, static_cast<int>(objects_.size()));
    if (is_new) objects_.push_back(object);
    return at->second;
  }
  [[nodiscard]] const std::vector<Object>& objects() const { return objects_; }

 private:
  std::map<Object, int> numbers_;
  std::vector<Object> objects_;
};

int logical(Object object) { return object == nullptr ? -1 : static_cast<int>(object->logical_index); }

/// The outermost package around an object: a package within a package is a part of a socket.
Object package_around(Object object) {
  Object outermost = nullptr;
  for (; object != nullptr; object = object->parent) {
    if (object->type == HWLOC_OBJ_PACKAGE) outermost = object;
  }
  return outermost;
}

/// All packages in hardware order, those without cores too.
void number_packages(Object object, Numbering& packages) {
  if (object->type == HWLOC_OBJ_PACKAGE) {
    packages.of(object);
    return;
  }
  for (Object child = object->first_child; child != nullptr; child = child->next_sibling)
    number_packages(child, packages);
}

std::string trimmed(const char* text) {
  if (text == nullptr) return "";
  std::string_view view(text);
  while (!view.empty() && view.back() == ' ') view.remove_suffix(1);
  while (!view.empty() && view.front() == ' ') view.remove_prefix(1);
  return std::string(view);
}

std::string name_of(hwloc_topology_t topology) {
  Object root = hwloc_get_root_obj(topology);
  Object first = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, nullptr);
  for (Object object : {ancestor(first, HWLOC_OBJ_PACKAGE), root}) {
    if (object == nullptr) continue;
    std::string model = trimmed(hwloc_obj_get_info_by_name(object, "CPUModel"));
    if (!model.empty()) return model;
  }
  std::string vendor = trimmed(hwloc_obj_get_info_by_name(root, "DMIBoardVendor"));
  std::string product = trimmed(hwloc_obj_get_info_by_name(root, "DMIProductName"));
  if (!product.empty() && !vendor.empty() && product.find(vendor) == std::string::npos) return vendor + " " + product;
  return product;
}

/// Memory of a special kind is no core's first choice where plain memory is as near (HBM beside DRAM).
bool is_special(Object node) {
  if (node->subtype == nullptr) return false;
  std::string_view kind = node->subtype;
  return kind != "DRAM";
}

/// The node whose memory is local to `cpus`: the smallest that covers them, plain memory before special memory.
int local_node(const std::vector<Object>& nodes, hwloc_const_cpuset_t cpus) {
  Object best = nullptr;
  auto better = [](Object a, Object b) {
    if (is_special(a) != is_special(b)) return is_special(b);
    int wa = hwloc_bitmap_weight(a->cpuset);
    int wb = hwloc_bitmap_weight(b->cpuset);
    return wa != wb ? wa < wb : a->os_index < b->os_index;
  };
  for (Object node : nodes) {
    if (hwloc_bitmap_isincluded(cpus, node->cpuset) && (best == nullptr || better(node, best))) best = node;
  }
  return logical(best);
}

int socket_of_node(Numbering& packages, Object node) {
  if (Object package = package_around(node)) return packages.of(package);
  if (hwloc_bitmap_iszero(node->complete_cpuset)) return -1;
  for (Object package : packages.objects()) {
    if (hwloc_bitmap_isincluded(node->complete_cpuset, package->complete_cpuset)) return packages.of(package);
  }
  return packages.objects().empty() ? 0 : -1;
}

std::uint64_t cache_above(Object core, hwloc_obj_type_t type) {
  Object cache = ancestor(core, type);
  if (cache == nullptr) {  // a private cache may sit below the core
    for (Object child = core; child != nullptr && cache == nullptr; child = child->first_child) {
      if (child->type == type) cache = child;
    }
  }
  return cache == nullptr ? 0 : cache->attr->cache.size;
}

Object cluster_of(Object core) {
  for (Object above = core->parent; above != nullptr; above = above->parent) {
    if (above->type == HWLOC_OBJ_GROUP && above->subtype != nullptr && std::string_view(above->subtype) == "Cluster")
      return above;
  }
  return nullptr;
}

/// What is known of objects that may lie at several depths, by the order in which cores meet them.
struct Numberings {
  Numbering packages, l3s, l2s, clusters;
};

SurveyCore core_of(Object object, const std::vector<Object>& nodes, Numberings& number) {
  SurveyCore core;
  core.cpus = set_of<CpuSet>(object->cpuset);
  core.l3 = number.l3s.of(ancestor(object, HWLOC_OBJ_L3CACHE));  // the innermost
  core.l2 = number.l2s.of(ancestor(object, HWLOC_OBJ_L2CACHE));
  core.cluster = number.clusters.of(cluster_of(object));
  core.node = local_node(nodes, object->cpuset);
  core.socket = number.packages.of(package_around(object));
  core.l1d_bytes = cache_above(object, HWLOC_OBJ_L1CACHE);
  core.l2_bytes = cache_above(object, HWLOC_OBJ_L2CACHE);
  return core;
}

/// Value of an information about the machine, or about one of its packages.
std::string_view info_of(hwloc_topology_t topology, const Numbering& packages, const char* name) {
  if (const char* value = hwloc_obj_get_info_by_name(hwloc_get_root_obj(topology), name)) return value;
  for (Object package : packages.objects()) {
    if (const char* value = hwloc_obj_get_info_by_name(package, name)) return value;
  }
  return {};
}

/// NUMALatency is the firmware's table; any other latency (a measured one) serves where that is missing.
std::vector<std::vector<double>> distances(hwloc_topology_t topology, std::size_t nodes) {
  unsigned count = 1;
  hwloc_distances_s* found = nullptr;
  if (hwloc_distances_get_by_name(topology, "NUMALatency", &count, &found, 0) != 0 || count == 0) {
    count = 1;
    if (hwloc_distances_get_by_type(topology, HWLOC_OBJ_NUMANODE, &count, &found, HWLOC_DISTANCES_KIND_MEANS_LATENCY,
                                    0) != 0 ||
        count == 0) {
      return {};
    }
  }
  std::vector<std::vector<double>> matrix(nodes, std::vector<double>(nodes, 0));
  for (unsigned i = 0; i < found->nbobjs; ++i) {
    for (unsigned j = 0; j < found->nbobjs; ++j) {
      Object from = found->objs[i];
      Object to = found->objs[j];
      if (from == nullptr || to == nullptr || from->type != HWLOC_OBJ_NUMANODE || to->type != HWLOC_OBJ_NUMANODE)
        continue;
      matrix.at(from->logical_index).at(to->logical_index) = static_cast<double>(found->values[i * found->nbobjs + j]);
    }
  }
  hwloc_distances_release(topology, found);
  return matrix;
}

/// What the nearest cpus read of a node's memory: a bandwidth in MB/s or a latency in ns (HMAT); 0: unknown.
double memory_attribute(hwloc_topology_t topology, Object node, hwloc_memattr_id_t what) {
  hwloc_location best;
  hwloc_uint64_t value = 0;
  return hwloc_memattr_get_best_initiator(topology, what, node, 0, &best, &value) == 0 ? static_cast<double>(value) : 0;
}

std::vector<SurveyKind> kinds_of(hwloc_topology_t topology) {
  std::vector<SurveyKind> kinds;
  const int count = hwloc_cpukinds_get_nr(topology, 0);
  if (count < 2) return kinds;
  hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
  for (int k = 0; k < count; ++k) {
    SurveyKind kind;
    unsigned infos = 0;
    hwloc_info_s* info = nullptr;
    if (hwloc_cpukinds_get_info(topology, static_cast<unsigned>(k), cpus, &kind.efficiency, &infos, &info, 0) != 0)
      continue;
    kind.cpus = set_of<CpuSet>(cpus);
    for (unsigned i = 0; i < infos; ++i) {
      if (std::string_view(info[i].name) == "CoreType") kind.name = info[i].value;
    }
    kinds.push_back(std::move(kind));
  }
  hwloc_bitmap_free(cpus);
  return kinds;
}

std::string_view info_of(const hwloc_info_s* infos, unsigned count, std::string_view name) {
  for (unsigned i = 0; i < count; ++i) {
    if (infos[i].name == name) return infos[i].value;
  }
  return {};
}

int number_of(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && number > 0 ? number : 0;
}

/// What hwloc keeps of each kind of cores. It ranks kinds by their frequencies as well, which tells favoured cores
/// from others; so its rank counts only where it says nothing else.
void take_speeds(hwloc_topology_t topology, std::vector<SurveyCore>& cores) {
  hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
  for (int k = 0; k < hwloc_cpukinds_get_nr(topology, 0); ++k) {
    int efficiency = -1;
    unsigned count = 0;
    hwloc_info_s* infos = nullptr;
    if (hwloc_cpukinds_get_info(topology, static_cast<unsigned>(k), cpus, &efficiency, &count, &infos, 0) != 0)
      continue;
    const std::string_view type = info_of(infos, count, "CoreType");
    const int capacity = number_of(info_of(infos, count, "LinuxCapacity"));
    const int max_mhz = number_of(info_of(infos, count, "FrequencyMaxMHz"));
    const int rank = type == "IntelCore"             ? 1
                     : type == "IntelAtom"           ? 0
                     : capacity == 0 && max_mhz == 0 ? efficiency
                                                     : -1;
    for (SurveyCore& core : cores) {
      if (!hwloc_bitmap_isset(cpus, static_cast<unsigned>(core.cpus.front()))) continue;
      core.rank = rank;
      core.capacity = capacity;
      core.max_mhz = max_mhz;
    }
  }
  hwloc_bitmap_free(cpus);
}

/// AMD's Strix Point, whose second chiplet has the dense variant of its cores.
bool has_dense_cores(hwloc_topology_t topology, const Numbering& packages) {
  const int model = number_of(info_of(topology, packages, "CPUModelNumber"));
  return info_of(topology, packages, "CPUVendor") == "AuthenticAMD" &&
         info_of(topology, packages, "CPUFamilyNumber") == "26" && model >= 0x20 && model < 0x30;
}

}  // namespace

void name_gpu_memory(Survey& survey, bool grace) {
  const bool power9 = survey.name.find("POWER9") != std::string::npos;
  grace = grace || survey.name.find("Grace") != std::string::npos;
  if (!grace && !power9) return;
  for (std::size_t n = 0; n < survey.nodes.size(); ++n) {
    SurveyNode& node = survey.nodes[n];
    // hwloc may count cpus that are nearest to a node as its own, so that its set of them does not say.
    const bool has_cores = std::any_of(survey.cores.begin(), survey.cores.end(),
                                       [&](const SurveyCore& core) { return core.node == static_cast<int>(n); });
    if (has_cores || !node.kind.empty()) continue;
    if (grace || (power9 && node.os_index >= 240 && node.os_index < 256)) node.kind = "GPU";
  }
}

Survey survey_of(hwloc_topology_t topology, std::string origin) {
  Survey survey;
  survey.name = name_of(topology);
  survey.origin = std::move(origin);
  Numberings number;
  number_packages(hwloc_get_root_obj(topology), number.packages);
  const auto nodes = all_of(topology, HWLOC_OBJ_NUMANODE);
  Object last = nullptr;
  Object last_l2 = nullptr;
  int sharers = 0;
  bool nested = false;
  survey.cores_known = false;
  for (Object pu : all_of(topology, HWLOC_OBJ_PU)) {
    Object core = ancestor(pu, HWLOC_OBJ_CORE);
    survey.cores_known = survey.cores_known || core != nullptr;
    if (core == nullptr) core = pu;
    if (core == last) continue;
    survey.cores.push_back(core_of(core, nodes, number));
    Object l3 = ancestor(core, HWLOC_OBJ_L3CACHE);
    nested = nested || (l3 != nullptr && ancestor(l3->parent, HWLOC_OBJ_L3CACHE) != nullptr);
    Object l2 = ancestor(core, HWLOC_OBJ_L2CACHE);
    sharers = l2 != nullptr && l2 == last_l2 ? sharers + 1 : 1;
    survey.cores_per_l2 = std::max(survey.cores_per_l2, sharers);
    last_l2 = l2;
    last = core;
  }
  for (Object l3 : number.l3s.objects()) survey.l3_bytes.push_back(l3->attr->cache.size);
  if (nested) survey.notes.emplace_back("L3 caches lie within others: the innermost one of a core counts.");
  for (Object node : nodes) {
    const std::string kind = node->subtype == nullptr ? "" : node->subtype;
    survey.nodes.push_back({static_cast<int>(node->os_index), node->attr->numanode.local_memory,
                            socket_of_node(number.packages, node), kind == "GPUMemory" ? "GPU" : kind,
                            memory_attribute(topology, node, HWLOC_MEMATTR_ID_BANDWIDTH) / 1000,
                            memory_attribute(topology, node, HWLOC_MEMATTR_ID_LATENCY)});
  }
  name_gpu_memory(survey, info_of(topology, number.packages, "CPUPart") == "0xd4f");
  survey.sockets = static_cast<int>(number.packages.objects().size());
  const std::string_view architecture = info_of(topology, number.packages, "Architecture");
  survey.arm = architecture.starts_with("aarch64") || architecture.starts_with("arm") ||
               !info_of(topology, number.packages, "CPUImplementer").empty();
  survey.all_cpus = set_of<CpuSet>(hwloc_topology_get_complete_cpuset(topology));
  survey.allowed_cpus = set_of<CpuSet>(hwloc_topology_get_allowed_cpuset(topology));
  survey.allowed_nodes = set_of<OsNodeSet>(hwloc_topology_get_allowed_nodeset(topology));
  survey.all_nodes =
      std::max(hwloc_bitmap_weight(hwloc_topology_get_complete_nodeset(topology)), static_cast<int>(nodes.size()));
  survey.node_distance = distances(topology, nodes.size());
  survey.kinds = kinds_of(topology);
  take_speeds(topology, survey.cores);
  survey.dense_cores = has_dense_cores(topology, number.packages);
  return survey;
}

}  // namespace charm::topology
