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

HwlocHandle load_live();

/// \throws Error (bad_input) that names the file, what is wrong with it and how to get a good one.
HwlocHandle load_xml(const std::string& file);

/// \throws Error (bad_input) that quotes the string and shows one that works.
HwlocHandle load_synthetic(const std::string& description);

}  // namespace charm::topology
