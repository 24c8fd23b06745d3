// Loads an hwloc topology with no more in it than the runtime needs: no devices, no instruction caches, and kinds of
// cores only where they are asked for. hwloc's x86 backend binds a thread to every cpu in turn, which takes seconds on
// large machines, so only load_processors() uses it.
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

/// What the processors (x86) say of themselves by CPUID, whatever the kernel says. No NUMA nodes: CPUID does not tell
/// them reliably, and hwloc puts one over everything. Null on other processors.
/// \param dump a directory as hwloc-gather-cpuid writes it; empty: this machine.
HwlocHandle load_processors(const std::string& dump = "");

}  // namespace charm::topology
