// Looking for other ranks' questions between short pieces of work.
#pragma once

#include <charm/remote.hpp>

#include <atomic>
#include <cstdint>

#include "base/clock.hpp"

namespace charm::remote {

/// As poll(), but not more often than every 20 µs: a look takes longer than a short task, and with more ranks than
/// cores the MPI library gives the core away at each.
inline void answer_now_and_then() {
  constexpr std::int64_t pause_ns = 20000;
  static std::atomic<std::int64_t> next{0};
  const std::int64_t now = base::monotonic_ns();
  if (now < next.load(std::memory_order_relaxed)) return;
  next.store(now + pause_ns, std::memory_order_relaxed);
  poll();
}

}  // namespace charm::remote
