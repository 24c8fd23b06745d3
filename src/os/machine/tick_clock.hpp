// A clock for stamping events: the processor's counter where the kernel itself trusts it as the system's clock, and
// steady_clock elsewhere, which costs twice as much. Ticks are converted to nanoseconds afterwards, by comparing
// both clocks over the whole time since the start.
#pragma once

#include <charm/detail/ticks.hpp>

#include <cstdint>
#include <utility>

#include "base/clock.hpp"

namespace charm::os {

class TickClock {
 public:
  TickClock();

  [[nodiscard]] std::uint64_t now() const noexcept { return counter_ ? detail::ticks() : steady_ns(); }

  /// Ticks in a microsecond, good to a factor of two.
  [[nodiscard]] std::uint64_t per_us() const noexcept { return counter_ ? detail::ticks_per_us() : 1000; }

  /// The mean length of a tick from the start until now. Waits until a millisecond after the start, if that has not
  /// passed.
  [[nodiscard]] double ns_per_tick() const noexcept;

  /// The value of now() at the start.
  [[nodiscard]] std::uint64_t start() const noexcept { return start_ticks_; }

 private:
  /// Both clocks as of one moment: {now(), steady_ns()}.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> both() const noexcept;

  static std::uint64_t steady_ns() noexcept { return static_cast<std::uint64_t>(base::monotonic_ns()); }
  bool counter_;
  std::uint64_t start_ticks_ = 0;
  std::uint64_t start_ns_ = 0;
};

}  // namespace charm::os
