// A cheap clock that distinguishes microseconds from nanoseconds, good to a factor of two. Only the grain of loops
// depends on it, nothing that is reported.
#pragma once

#include <charm/detail/requirements.hpp>

#include <cstdint>

namespace charm::detail {

inline std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t value;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#endif
}

inline std::uint64_t ticks_per_us() noexcept {
#if defined(__x86_64__)
  return 2500;  // time-stamp counters run at 2 to 4 GHz
#elif defined(__aarch64__)
  std::uint64_t hertz;
  asm volatile("mrs %0, cntfrq_el0" : "=r"(hertz));
  return hertz / 1000000 + 1;
#endif
}

}  // namespace charm::detail
