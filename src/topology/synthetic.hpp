// Builds the machines of plain synthetic strings ("pack:2 l3:8 core:8 pu:2") as hwloc would, but faster: hwloc takes 15
// s and a gigabyte for 65,536 cpus.
#pragma once

#include <optional>
#include <string>

#include "topology/survey.hpp"

namespace charm::topology {

/// Nothing where the string has more than levels and counts (attributes, attached nodes, levels without a type), a
/// level that is unknown here, or levels in an unusual order: hwloc judges those.
std::optional<Survey> plain_synthetic(const std::string& description);

}  // namespace charm::topology
