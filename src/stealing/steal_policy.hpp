// Stealing policies as values in one registry: the order in which a thief tries victims, and how much it takes. A new
// policy is a row in steal_policy.cpp; the runtime and the simulator then offer it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace charm::stealing {

enum class Order : std::uint8_t {
  random,    ///< any worker, with equal probability
  nearest,   ///< all workers of the own chiplet, then of the next, and so on
  weighted,  ///< any worker, a chiplet with P ~ 1/(n distance^2)
  bounded    ///< a few of the own chiplet, then a few of others with P ~ 1/(n distance^2)
};

struct StealPolicy {
  std::string_view name;
  std::string_view summary;
  Order order = Order::bounded;
  bool bitmap = true;  ///< try only workers whose work flag is set (bounded only)
  bool half = true;    ///< take half of the victim's public jobs if these are tasks of a group; else take one
  int near_tries = 4;  ///< victims on the own chiplet in one search (bounded only)
  int far_tries = 2;   ///< victims on other chiplets in one search (bounded only)

  /// The number of flat jobs (tasks of a group) that a thief takes if `visible` are public. A forked job, the root of a
  /// subtree, is always taken alone.
  [[nodiscard]] std::int64_t share(std::int64_t visible) const { return half && visible > 1 ? (visible + 1) / 2 : 1; }
};

/// All policies, in the order in which they are shown; the last is the runtime's.
std::span<const StealPolicy> policies();

/// \throws Error (bad_config) that lists the existing policies.
const StealPolicy& policy(std::string_view name);

}  // namespace charm::stealing
