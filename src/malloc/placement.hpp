// Whether and where this process places memory: decided once, at the first allocation.
#pragma once

#include <cstddef>
#include <cstdint>

#include "malloc/statistics.hpp"
#include "memory/layers.hpp"

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

/// Reads the weights again if they are due. Where no lock is held.
void see_weights() noexcept;

/// If a node is full, the kernel puts its part of a block elsewhere and tells nobody: reported once. The files are read
/// for blocks whose touching takes far longer, and else ten times a second. Where no lock is held.
void see_full_nodes(std::size_t bytes, std::size_t root) noexcept;

/// Prints why the kernel has refused to place memory, if it has and nobody was told. Where no lock is held.
void report_refusal() noexcept;

/// Places a mapping before it is touched: by the weights of the root, or on its memory for normal blocks. If the kernel
/// refuses, the mapping lies where it is touched first. Below jemalloc's locks. \param grows it is the end of a block.
void place_huge(void* data, std::size_t bytes, std::size_t root, bool grows) noexcept;
void place_normal(void* data, std::size_t bytes, std::size_t root) noexcept;

/// The same for memory that blocks share (shared.hpp): the layers of the root's weights, all of a mapping in one of
/// them, and a block that was cut out of it.
memory::Layers layers_of_root(std::size_t root) noexcept;
void place_layer(void* data, std::size_t bytes, std::uint64_t members) noexcept;
void count_shared(std::size_t bytes, std::uint64_t members, bool grows) noexcept;

/// Around fork(), so that no other thread is reading the weights.
void hold_weights() noexcept;
void release_weights() noexcept;

/// The program's static arrays, which do not come from malloc: spreads them by the weights of the root on request
/// (CHARM_MALLOC_STATIC=on); otherwise prints a line if they are large. Once, before the program runs; only if
/// places().
void see_static_arrays(std::size_t root) noexcept;

Statistics& statistics() noexcept;

/// Now, because the sandbox may forbid it at the end.
void print_statistics_before_sandbox() noexcept;

}  // namespace charm::shim
