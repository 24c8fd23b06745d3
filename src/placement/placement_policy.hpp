// Placement policies as values in one registry: a name, what it does, and a pure function from a machine and a request
// to a placement. Adding one is one file and one line in placement_policy.cpp.
#pragma once

#include <span>
#include <string_view>

#include "placement/placement.hpp"

namespace charm::placement {

struct PlacementPolicy {
  std::string_view name;
  std::string_view summary;
  Placement (*place)(const Machine& machine, const Request& request);
};

/// All policies, in the order in which they are shown.
std::span<const PlacementPolicy> policies();

/// \throws Error (bad_config) that names the policies there are.
const PlacementPolicy& policy(std::string_view name);

}  // namespace charm::placement
