// What the shim has done in this process: counted without locks, printed at its end on request.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "malloc/text.hpp"
#include "memory/weight_page.hpp"

namespace charm::shim {

using Counter = std::atomic<std::uint64_t>;

inline void count(Counter& counter, std::uint64_t more = 1) noexcept {
  counter.fetch_add(more, std::memory_order_relaxed);
}

struct Statistics {
  Counter huge_blocks{0}, huge_bytes{0};               ///< mapped by weight
  Counter shared_blocks{0};                            ///< of them: cut out of mappings that blocks share
  Counter normal_chunks{0}, normal_bytes{0};           ///< mapped for jemalloc's arenas
  Counter static_bytes{0};                             ///< of the program's static arrays, placed on request
  Counter runs{0};                                     ///< system calls that placed pages
  Counter refused{0};                                  ///< of them: refused by the kernel
  Counter arenas{0}, moves{0};                         ///< arenas in use; threads that went on in another node's
  Counter pages_read{0};                               ///< files of weights, with other weights than before
  std::array<Counter, memory::most_memories> bytes{};  ///< huge, by memory
};

/// Adds ", policy ..." and lines "charm malloc: ...".
void describe(Text& text, const Statistics& all, const memory::WeightPage& page, std::size_t normal_limit) noexcept;

}  // namespace charm::shim
