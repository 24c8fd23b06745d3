#include "placement/policy.hpp"

#include "base/registry.hpp"
#include "placement/policies.hpp"

namespace charm::placement {

std::span<const Policy> policies() {
  static const Policy all[] = {local_policy, distributed_policy, numa_policy, os_policy, literal_policy};
  return all;
}

const Policy& policy(std::string_view name) { return base::named(policies(), name, "placement policy"); }

}  // namespace charm::placement
