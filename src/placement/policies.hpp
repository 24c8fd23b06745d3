// The policies that placement_policy.cpp registers; each is defined in the file of its name.
#pragma once

#include "placement/placement_policy.hpp"

namespace charm::placement {

extern const PlacementPolicy local_policy, distributed_policy, numa_policy, os_policy, literal_policy;

}  // namespace charm::placement
