// Sleeping on a 32-bit word (futex(2), private to the process).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace charm::os {

using FutexWord = std::atomic<std::uint32_t>;

/// Sleeps while `word` holds `expected`, until woken; spurious returns are allowed.
/// \param timeout negative: none. \return false on time-out.
bool futex_wait(FutexWord& word, std::uint32_t expected,
                std::chrono::nanoseconds timeout = std::chrono::nanoseconds(-1)) noexcept;

void futex_wake(FutexWord& word, int sleepers) noexcept;

}  // namespace charm::os
