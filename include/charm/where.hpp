// Queries on which NUMA node an address lies.
#pragma once

#include <string>

namespace charm {

/// Where the memory behind an address lies.
struct Whereabouts {
  int node = 0;        ///< id in Machine::nodes; where it is not known, the node of the calling task's worker
  bool known = false;  ///< whether the kernel has told
  std::string reason;  ///< why not: the page was never touched, nothing is mapped there, the kernel refuses to tell ...
};

/// Asks the kernel where the page of `address` lies; does not touch it. A system call, about a microsecond. A kernel or
/// sandbox that does not answer at all is reported once (stats().notices). \throws Error (not_running).
[[nodiscard]] Whereabouts where(const void* address);

}  // namespace charm
