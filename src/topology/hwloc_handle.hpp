// Loads an hwloc topology with no more in it than the runtime needs: no devices, no instruction caches, no core kinds,
// and never hwloc's x86 probing, which binds the calling thread to every cpu in turn and takes seconds on large
// machines.
#pragma once

#include <hwloc.h>
#include <memory>
#include <string>
#include <type_traits>

namespace charm::topology {

struct HwlocDelete {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using HwlocHandle = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, HwlocDelete>;

/// \param kinds whether to look for kinds of cores.
HwlocHandle load_live(bool kinds = false);

/// \throws Error (bad_input) that names the file, what is wrong with it and how to get a good one.
HwlocHandle load_xml(const std::string& file, bool kinds = false);

/// A machine's sysfs below `root`, of this architecture or another one.
/// \throws Error (bad_input) where there is none.
HwlocHandle load_sysfs(const std::string& root, bool kinds = false);

/// \throws Error (bad_input) that quotes the string and shows one that works.
HwlocHandle load_synthetic(const std::string& description, bool kinds = false);

}  // namespace charm::topology
