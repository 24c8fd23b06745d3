// Machines of plain synthetic strings ("pack:2 l3:8 core:8 pu:2"), counted out as hwloc would build them. A machine of
// 65,536 cpus takes hwloc 15 s and a gigabyte, and such strings need nothing else of it.
#pragma once

#include <optional>
#include <string>

#include "topology/survey.hpp"

namespace charm::topology {

/// Nothing where the string has more than levels and counts (attributes, attached nodes, levels without a type), a
/// level that is unknown here, or levels in an unusual order: hwloc judges those.
std::optional<Survey> plain_synthetic(const std::string& description);

}  // namespace charm::topology
