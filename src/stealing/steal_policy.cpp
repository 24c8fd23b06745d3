#include "stealing/steal_policy.hpp"

#include <charm/error.hpp>

#include <string>

namespace charm::stealing {

std::span<const StealPolicy> policies() {
  static constexpr StealPolicy all[] = {
      {"random", "any worker, all alike; one task", Order::random, false, false},
      {"nearest", "strictly the nearest first; one task", Order::nearest, false, false},
      {"weighted", "chiplets with P ~ 1/(n distance^2), as libfork does; one task", Order::weighted, false, false},
      {"nearest-half", "strictly the nearest first; half of flat work", Order::nearest, false, true},
      {"bounded", "a few tries on the own chiplet, then wider; half of flat work", Order::bounded, false, true},
      {"bitmap", "the same, only among workers that have work", Order::bounded, true, true},
  };
  return all;
}

const StealPolicy& policy(std::string_view name) {
  std::string known;
  for (const StealPolicy& candidate : policies()) {
    if (candidate.name == name) return candidate;
    known += (known.empty() ? "" : ", ") + std::string(candidate.name);
  }
  throw Error(Errc::bad_config, "unknown way of stealing '" + std::string(name) + "'", "choose one of " + known);
}

}  // namespace charm::stealing
