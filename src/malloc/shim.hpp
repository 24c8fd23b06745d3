// What the functions of C and the operators of C++ have in common.
#pragma once

#include <atomic>
#include <cstddef>

namespace charm::shim {

// NOLINTNEXTLINE(bugprone-dynamic-static-initializers): it is constinit
extern std::atomic<int> decided;  // whether this process places memory: 0: no, 1: a thread decides, 2: yes
void decide_when_called() noexcept;

/// Where jemalloc begins; later it costs one comparison.
inline void decide_before_jemalloc() noexcept {
  if (decided.load(std::memory_order_relaxed) != 2) [[unlikely]]
    decide_when_called();
}

/// aligned_alloc(3).
void* allocate_aligned(std::size_t alignment, std::size_t bytes) noexcept;

/// free(3) of a block that was asked for with so many bytes.
void release(void* block, std::size_t bytes) noexcept;

}  // namespace charm::shim
