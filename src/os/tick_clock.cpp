#include "os/tick_clock.hpp"

#include <fstream>
#include <string>

namespace charm::os {

namespace {
/// The kernel watches the time-stamp counters of all cores and stops using them where they do not agree.
bool kernel_trusts_the_counter() {
  std::string source;
  std::ifstream("/sys/devices/system/clocksource/clocksource0/current_clocksource") >> source;
  return source == "tsc" || source == "arch_sys_counter";
}
}  // namespace

TickClock::TickClock() : counter_(kernel_trusts_the_counter()), start_ticks_(now()), start_ns_(steady_ns()) {}

double TickClock::ns_per_tick() const noexcept {
  if (!counter_) return 1;
  std::uint64_t elapsed = 0;
  while ((elapsed = steady_ns() - start_ns_) < 1000000) {
  }
  return static_cast<double>(elapsed) / static_cast<double>(now() - start_ticks_);
}

}  // namespace charm::os
