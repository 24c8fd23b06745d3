// Divides a worker's time into running jobs, searching and sleeping. The clock is read only when one of these states
// ends.
//
// Written by the worker's owner, read by any thread: a reader takes the running period from `since_` and repeats if the
// owner has changed it meanwhile.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "os/machine/tick_clock.hpp"
#include "trace/event.hpp"

namespace charm::sched {

class WorkTimes {
 public:
  using State = trace::State;

  /// Called before the owner starts, whose first state is `busy`, since it binds its thread first.
  void start(const os::TickClock& clock) noexcept { since_.store(pack(clock.now(), State::busy)); }

  /// Owner only. \return the time, in ticks.
  std::uint64_t enter(State next, const os::TickClock& clock) noexcept {
    const std::uint64_t now = clock.now();
    const std::uint64_t since = since_.load(std::memory_order_relaxed);
    std::atomic<std::uint64_t>& sum = ticks_[since & state_mask];
    since_.store(changing, std::memory_order_relaxed);  // who reads the new sum sees this or what follows
    // A counter that runs a few ticks behind on the core that a guest came from must not count as 2^64.
    const std::uint64_t from = since & ~state_mask;
    sum.store(sum.load(std::memory_order_relaxed) + (now > from ? now - from : 0), std::memory_order_release);
    since_.store(pack(now, next), std::memory_order_release);
    return now;
  }

  /// Anyone: ticks in each state, by State.
  [[nodiscard]] std::array<std::uint64_t, 3> read(const os::TickClock& clock) const noexcept {
    for (;;) {
      const std::uint64_t since = since_.load(std::memory_order_acquire);
      if (since == changing) continue;
      std::array<std::uint64_t, 3> ticks{};
      for (std::size_t i = 0; i < ticks.size(); ++i) ticks[i] = ticks_[i].load(std::memory_order_acquire);
      if (since_.load(std::memory_order_relaxed) != since) continue;
      const std::uint64_t now = clock.now();
      const std::uint64_t from = since & ~state_mask;
      if (now > from) ticks[since & state_mask] += now - from;
      return ticks;
    }
  }

 private:
  static constexpr std::uint64_t state_mask = 3;
  static constexpr std::uint64_t changing = ~std::uint64_t{0};
  static std::uint64_t pack(std::uint64_t ticks, State state) noexcept {
    return (ticks & ~state_mask) | static_cast<std::uint64_t>(state);
  }
  std::atomic<std::uint64_t> since_{0};
  std::array<std::atomic<std::uint64_t>, 3> ticks_{};
};

}  // namespace charm::sched
