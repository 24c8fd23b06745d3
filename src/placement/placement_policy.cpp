#include "placement/placement_policy.hpp"

#include "base/registry.hpp"
#include "placement/policies.hpp"

namespace charm::placement {

std::span<const PlacementPolicy> policies() {
  static const PlacementPolicy all[] = {local_policy, distributed_policy, numa_policy, os_policy, literal_policy};
  return all;
}

const PlacementPolicy& policy(std::string_view name) { return base::named(policies(), name, "placement policy"); }

}  // namespace charm::placement
