// Whether and where this process places memory: decided once, at the first allocation.
#pragma once

#include <cstddef>

#include "malloc/statistics.hpp"

namespace charm::shim {

/// Decides by the environment (docs/malloc.md) and the machine. Called once, before jemalloc starts. Prints one line on
/// standard error if nothing can be placed, with the reason, unless that was asked for or the machine has only one
/// memory.
/// \param serves whether the program has called this malloc. If it has a sanitizer, whose own malloc should have been
/// called, it would crash soon: it is ended with a line that says so. If it does call its own, nothing is placed.
void decide(bool serves) noexcept;

/// Whether blocks are placed at all; else jemalloc does what it does by itself.
bool places() noexcept;

/// Blocks with more bytes are huge; only where places().
std::size_t normal_limit() noexcept;

/// The root that a cpu belongs to; -1 where it has none. Only where places().
int root_of(int cpu) noexcept;

/// How many cpus belong to a root. Only where places().
std::size_t cpus_of(std::size_t root) noexcept;

/// Places a mapping before it is touched: by the weights of the root, or on its memory for normal blocks. If the kernel
/// refuses, the mapping lies where it is touched first, which is reported once.
void place_huge(void* data, std::size_t bytes, std::size_t root) noexcept;
void place_normal(void* data, std::size_t bytes, std::size_t root) noexcept;

/// The program's static arrays, which do not come from malloc: spreads them by the weights of the root on request
/// (CHARM_MALLOC_STATIC=on); otherwise prints a line if they are large. Once, before the program runs; only if
/// places().
void see_static_arrays(std::size_t root) noexcept;

Statistics& statistics() noexcept;

}  // namespace charm::shim
