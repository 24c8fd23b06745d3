#include "os/machine/tick_clock.hpp"

#include <string>
#include <tuple>

#include "os/files/system_files.hpp"

namespace charm::os {

namespace {
/// The kernel watches the time-stamp counters of all cores and stops using them where they do not agree.
bool kernel_trusts_the_counter() {
  const auto source = first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  return source == "tsc" || source == "arch_sys_counter";
}
}  // namespace

TickClock::TickClock() : counter_(kernel_trusts_the_counter()) { std::tie(start_ticks_, start_ns_) = both(); }

/// The thread may lose its cpu between the two readings of a pair, so the closest of several pairs is used.
std::pair<std::uint64_t, std::uint64_t> TickClock::both() const noexcept {
  std::pair<std::uint64_t, std::uint64_t> closest;
  std::uint64_t least = ~std::uint64_t{0};
  for (int i = 0; i < 5; ++i) {
    const std::uint64_t before = steady_ns();
    const std::uint64_t ticks = now();
    const std::uint64_t apart = steady_ns() - before;
    if (apart >= least) continue;
    least = apart;
    closest = {ticks, before + apart / 2};
  }
  return closest;
}

double TickClock::ns_per_tick() const noexcept {
  if (!counter_) return 1;
  while (steady_ns() - start_ns_ < 1000000) {
  }
  const auto [ticks, ns] = both();
  return static_cast<double>(ns - start_ns_) / static_cast<double>(ticks - start_ticks_);
}

}  // namespace charm::os
