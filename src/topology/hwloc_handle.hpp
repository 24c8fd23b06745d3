// Loads an hwloc topology with no more in it than the runtime needs: no devices, no instruction caches, and kinds of
// cores only where they are asked for. hwloc's x86 backend binds a thread to every cpu in turn, which takes seconds on
// large machines, so only load_processors() uses it.
//
// hwloc aborts if a description contradicts itself, and trusts what it reads. Descriptions from elsewhere are therefore
// loaded only in a confined child (foreign.cpp).
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

/// This machine, or what hwloc's own variables put in its place.
HwlocHandle load_live(bool kinds = false);

/// Null where hwloc refuses it, as the two below.
/// \param xml the text of a file that hwloc wrote.
HwlocHandle load_xml(const std::string& xml, bool kinds = false);
/// Levels with their counts, and attributes.
HwlocHandle load_synthetic(const std::string& description, bool kinds = false);
/// The machine's sysfs below the folder that the variable HWLOC_FSROOT names. (hwloc accepts the folder in no other
/// way.)
HwlocHandle load_recorded(bool kinds = false);

/// What the processors (x86) say of themselves by CPUID, whatever the kernel says. No NUMA nodes: CPUID does not show
/// them reliably, and hwloc puts one over everything. Null on other processors.
/// \param dump a directory as hwloc-gather-cpuid writes it; empty: this machine.
HwlocHandle load_processors(const std::string& dump = "");

}  // namespace charm::topology
