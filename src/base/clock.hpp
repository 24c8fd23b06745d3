// The monotonic clock, for everything that is not measured in cycles: time since some moment in the past. It never goes
// back, even if the time of day is changed.
#pragma once

#include <chrono>
#include <cstdint>

namespace charm::base {

inline std::int64_t monotonic_ns() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

inline double monotonic_seconds() noexcept { return 1e-9 * static_cast<double>(monotonic_ns()); }

}  // namespace charm::base
