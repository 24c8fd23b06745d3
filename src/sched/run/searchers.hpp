// What the workers of a runtime that search or sleep have in common.
#pragma once

#include <atomic>
#include <cstdint>

#include "sched/run/bound_limits.hpp"
#include "sched/run/sleepers_role.hpp"

namespace charm::sched {

class Searchers {
 public:
  LeavingWorkers leaving;
  SleepersRole sentry;  // the sleeper that looks for private jobs while all idle ones sleep

  /// Whether the caller may make the private jobs of another worker public at this time: somebody may once in 20 us.
  [[nodiscard]] bool may_expose(std::int64_t now_ns) noexcept {
    std::int64_t due = next_exposure_ns_.load(std::memory_order_relaxed);
    return now_ns >= due &&
           next_exposure_ns_.compare_exchange_strong(due, now_ns + exposure_interval_ns, std::memory_order_relaxed);
  }

 private:
  static constexpr std::int64_t exposure_interval_ns = 20000;
  std::atomic<std::int64_t> next_exposure_ns_{0};
};

}  // namespace charm::sched
