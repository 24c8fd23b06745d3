// Ways of stealing as values in one registry: in which order a thief looks, and how much it takes. Adding one is a row
// in policy.cpp; the runtime and the simulator then know it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace charm::stealing {

enum class Order : std::uint8_t {
  random,    ///< any worker, all alike
  nearest,   ///< everybody of the own chiplet, then of the next, and so on
  weighted,  ///< any worker, a chiplet with P ~ 1/(n distance^2)
  bounded    ///< a few of the own chiplet, then a few of others with P ~ 1/(n distance^2)
};

struct Policy {
  std::string_view name;
  std::string_view summary;
  Order order = Order::bounded;
  bool bitmap = true;  ///< only workers that have noted work on the board are tried (bounded only)
  bool half = true;    ///< of flat work half of what the victim shows is taken, else one
  int near_tries = 4;  ///< on the own chiplet, in one look (bounded only)
  int far_tries = 2;   ///< on other chiplets, in one look (bounded only)

  /// How many of `visible` flat jobs a thief takes; a forked job, the root of a subtree, is always taken alone.
  [[nodiscard]] std::int64_t share(std::int64_t visible) const { return half && visible > 1 ? (visible + 1) / 2 : 1; }
};

/// All ways, in the order in which they are shown; the last is the runtime's.
std::span<const Policy> policies();

/// \throws Error (bad_config) that names the ways there are.
const Policy& policy(std::string_view name);

}  // namespace charm::stealing
