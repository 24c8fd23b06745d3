// Tells on which NUMA node an address lies.
#pragma once

#include <charm/detail/requirements.hpp>

#include <string>

namespace charm {

/// Where the memory behind an address lies.
struct Whereabouts {
  int node = 0;        ///< id in Machine::nodes; if it is not known, the node of the calling task's worker
  bool known = false;  ///< whether the kernel has told the node
  std::string reason;  ///< why it is not known: the page was never touched, nothing is mapped there ...
};

/// Asks the kernel on which node the page of `address` lies, without touching the page. Takes a system call, about a
/// microsecond. A kernel or sandbox that does not answer at all is reported once (stats().notices).
/// \throws Error (not_running).
[[nodiscard]] Whereabouts where(const void* address);

}  // namespace charm
