#include "placement/policy.hpp"

#include <charm/error.hpp>

#include <string>

#include "placement/policies.hpp"

namespace charm::placement {

std::span<const Policy> policies() {
  static const Policy all[] = {local_policy, distributed_policy, numa_policy, os_policy, literal_policy};
  return all;
}

const Policy& policy(std::string_view name) {
  std::string known;
  for (const Policy& candidate : policies()) {
    if (candidate.name == name) return candidate;
    known += (known.empty() ? "" : ", ") + std::string(candidate.name);
  }
  throw Error(Errc::bad_config, "unknown placement policy '" + std::string(name) + "'", "choose one of " + known);
}

}  // namespace charm::placement
