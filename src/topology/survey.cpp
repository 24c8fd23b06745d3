#include "topology/survey.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "topology/hwloc_handle.hpp"

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

std::vector<Object> all_of(hwloc_topology_t topology, hwloc_obj_type_t type) {
  std::vector<Object> objects;
  for (Object o = nullptr; (o = hwloc_get_next_obj_by_type(topology, type, o)) != nullptr;) objects.push_back(o);
  return objects;
}

Object ancestor(Object object, hwloc_obj_type_t type) {
  while (object != nullptr && object->type != type) object = object->parent;
  return object;
}

int logical(Object object) { return object == nullptr ? -1 : static_cast<int>(object->logical_index); }

std::string trimmed(const char* text) {
  if (text == nullptr) return "";
  std::string_view view(text);
  while (!view.empty() && view.back() == ' ') view.remove_suffix(1);
  while (!view.empty() && view.front() == ' ') view.remove_prefix(1);
  return std::string(view);
}

std::string name_of(hwloc_topology_t topology) {
  Object package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
  Object root = hwloc_get_root_obj(topology);
  for (Object object : {package, root}) {
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

int socket_of_node(const std::vector<Object>& packages, Object node) {
  if (Object package = ancestor(node, HWLOC_OBJ_PACKAGE)) return logical(package);
  if (hwloc_bitmap_iszero(node->complete_cpuset)) return -1;
  for (Object package : packages) {
    if (hwloc_bitmap_isincluded(node->complete_cpuset, package->complete_cpuset)) return logical(package);
  }
  return packages.empty() ? 0 : -1;
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

int cluster_of(Object core) {
  for (Object above = core->parent; above != nullptr; above = above->parent) {
    if (above->type == HWLOC_OBJ_GROUP && above->subtype != nullptr && std::string_view(above->subtype) == "Cluster")
      return static_cast<int>(above->logical_index);
  }
  return -1;
}

SurveyCore core_of(Object object, const std::vector<Object>& nodes, bool packages) {
  SurveyCore core;
  core.cpus = set_of<CpuSet>(object->cpuset);
  core.l3 = logical(ancestor(object, HWLOC_OBJ_L3CACHE));
  core.cluster = cluster_of(object);
  core.node = local_node(nodes, object->cpuset);
  core.socket = packages ? logical(ancestor(object, HWLOC_OBJ_PACKAGE)) : -1;
  core.l1d_bytes = cache_above(object, HWLOC_OBJ_L1CACHE);
  core.l2_bytes = cache_above(object, HWLOC_OBJ_L2CACHE);
  return core;
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

Survey survey_of(hwloc_topology_t topology, std::string origin) {
  Survey survey;
  survey.name = name_of(topology);
  survey.origin = std::move(origin);
  const auto packages = all_of(topology, HWLOC_OBJ_PACKAGE);
  const auto nodes = all_of(topology, HWLOC_OBJ_NUMANODE);
  survey.sockets = static_cast<int>(packages.size());
  for (Object l3 : all_of(topology, HWLOC_OBJ_L3CACHE)) survey.l3_bytes.push_back(l3->attr->cache.size);
  for (Object node : nodes) {
    survey.nodes.push_back({static_cast<int>(node->os_index), node->attr->numanode.local_memory,
                            socket_of_node(packages, node), node->subtype == nullptr ? "" : node->subtype});
  }
  survey.cores_told = hwloc_get_obj_by_type(topology, HWLOC_OBJ_CORE, 0) != nullptr;
  Object last = nullptr;
  Object last_l2 = nullptr;
  int sharers = 0;
  for (Object pu : all_of(topology, HWLOC_OBJ_PU)) {
    Object core = ancestor(pu, HWLOC_OBJ_CORE);
    if (core == nullptr) core = pu;
    if (core == last) continue;
    survey.cores.push_back(core_of(core, nodes, !packages.empty()));
    Object l2 = ancestor(core, HWLOC_OBJ_L2CACHE);
    sharers = l2 != nullptr && l2 == last_l2 ? sharers + 1 : 1;
    survey.cores_per_l2 = std::max(survey.cores_per_l2, sharers);
    last_l2 = l2;
    last = core;
  }
  survey.all_cpus = set_of<CpuSet>(hwloc_topology_get_complete_cpuset(topology));
  survey.allowed_cpus = set_of<CpuSet>(hwloc_topology_get_allowed_cpuset(topology));
  survey.allowed_nodes = set_of<OsNodeSet>(hwloc_topology_get_allowed_nodeset(topology));
  survey.all_nodes =
      std::max(hwloc_bitmap_weight(hwloc_topology_get_complete_nodeset(topology)), static_cast<int>(nodes.size()));
  survey.node_distance = distances(topology, nodes.size());
  survey.kinds = kinds_of(topology);
  return survey;
}

}  // namespace

Survey survey_live(Detail detail) {
  HwlocHandle topology = load_live(detail == Detail::kinds);
  if (hwloc_topology_is_thissystem(topology.get()) != 0) return survey_of(topology.get(), "live");
  // hwloc's own variables put another machine in this one's place.
  const char* xml = std::getenv("HWLOC_XMLFILE");
  const char* synthetic = std::getenv("HWLOC_SYNTHETIC");
  return survey_of(topology.get(), xml != nullptr         ? std::string("xml:") + xml
                                   : synthetic != nullptr ? std::string("synthetic:") + synthetic
                                                          : "hwloc's environment variables");
}

Survey survey_file(const std::string& xml_file, Detail detail) {
  return survey_of(load_xml(xml_file, detail == Detail::kinds).get(), "xml:" + xml_file);
}

Survey survey_synthetic(const std::string& description, Detail detail) {
  return survey_of(load_synthetic(description, detail == Detail::kinds).get(), "synthetic:" + description);
}

Survey survey_processors(const std::string& dump) {
  const HwlocHandle topology = load_processors(dump);
  if (topology == nullptr) return {};
  Survey survey = survey_of(topology.get(), dump.empty() ? "cpuid" : "cpuid:" + dump);
  survey.nodes.clear();  // hwloc's, one over everything
  for (SurveyCore& core : survey.cores) core.node = -1;
  return survey;
}

Survey survey_sysfs(const std::string& root, Detail detail) {
  return survey_of(load_sysfs(root, detail == Detail::kinds).get(), "sysfs:" + root);
}

}  // namespace charm::topology
