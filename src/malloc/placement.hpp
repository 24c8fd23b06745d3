// Whether and where this process places memory: decided once, at the first allocation.
#pragma once

#include <cstddef>

#include "malloc/statistics.hpp"

namespace charm::shim {

/// What the environment asks for (docs/malloc.md), and what the machine allows. Called once, before jemalloc starts.
/// Says in one line on standard error why nothing is placed, unless that is what was asked for, or the machine has only
/// one memory.
void decide() noexcept;

/// Whether blocks are placed at all; else jemalloc does what it does by itself.
bool places() noexcept;

/// Blocks with more bytes are huge; only where places().
std::size_t normal_limit() noexcept;

/// The root that a cpu belongs to; -1 where it has none. Only where places().
int root_of(int cpu) noexcept;

/// Places a mapping before it is touched: by the weights of the root, or on its memory for normal blocks. Where the
/// kernel refuses it lies where it is touched first, which is said once.
void place_huge(void* data, std::size_t bytes, std::size_t root) noexcept;
void place_normal(void* data, std::size_t bytes, std::size_t root) noexcept;

/// The program's static arrays, which never pass malloc: spread by the weights of the root on request
/// (CHARM_MALLOC_STATIC=on), else told of where they are large. Once, before the program runs; only where places().
void see_static_arrays(std::size_t root) noexcept;

Statistics& statistics() noexcept;

}  // namespace charm::shim
