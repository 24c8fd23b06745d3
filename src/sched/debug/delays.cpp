#include "sched/debug/delays.hpp"

#if defined(CHARM_TSAN) || defined(CHARM_ASAN)

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <thread>

#include "base/environment.hpp"
#include "base/random.hpp"
#include "os/threads/pause.hpp"

namespace charm::sched {

namespace {

int steps_between() noexcept {
  const char* text = base::environment("CHARM_STEP_DELAYS");
  return text == nullptr ? 0 : std::atoi(text);
}

}  // namespace

void delay_between_steps() noexcept {
  static const int steps = steps_between();
  if (steps <= 0) return;
  static std::atomic<std::uint64_t> calls{0};  // of all threads: a fiber may go on in another
  const std::uint64_t drawn = base::mixed(calls.fetch_add(1, std::memory_order_relaxed));
  if (drawn % static_cast<std::uint64_t>(steps) != 0) return;
  const std::uint64_t length = drawn >> 32U;
  switch (drawn >> 24U & 3U) {
    case 0:
      for (std::uint64_t i = 0; i < length % 2000; ++i) os::pause();
      return;
    case 1:
      return std::this_thread::yield();
    default:
      // Mostly short: a long one at every step would only make everything slow.
      return std::this_thread::sleep_for(std::chrono::microseconds(length % (length % 16 == 0 ? 1000 : 60)));
  }
}

}  // namespace charm::sched

#endif
