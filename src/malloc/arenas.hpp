// jemalloc's arenas with placed memory: for each node with cpus some arenas for normal blocks and one for huge ones.
// jemalloc asks for extents through hooks, which decide where the extents lie.
//
// Normal arenas cut extents out of chunks of some MiB on one memory, the best of the socket when the chunk is made
// (TAPMM §3.3). Their memory is never unmapped but kept for reuse, and given back page by page when jemalloc purges.
// Huge arenas map every extent by itself, spread by the weights of that moment, and unmap it when it is freed: a
// block's pages stay where they were put, and new weights apply to new blocks.
//
// A1  Hooks take no lock and allocate nothing: they run below jemalloc's locks, and around fork().
// A2  jemalloc must run with retain:false. Otherwise it keeps memory that the hook of a huge arena has unmapped.
// A3  Normal arenas have jemalloc's default hooks, two of which the linker redirects (--wrap). With hooks of their own
//     jemalloc would prepare for an allocation within the hook whenever it splits or merges extents, which takes two
//     full barriers for each slab that it makes or frees.
#pragma once

#include <cstddef>

namespace charm::shim {

/// Arenas for the normal blocks of a root's threads, chosen by the cpu, so that threads which come and go leave no
/// arenas with unused memory behind.
inline constexpr std::size_t arenas_per_root = 16;

/// The arena of jemalloc for normal blocks, created when it is first needed.
/// \return the arena's number; -1 where jemalloc refuses.
int normal_arena(std::size_t root, std::size_t slot) noexcept;

/// Notes that a thread uses the arena. \return whether another one has since it last did.
bool is_shared(std::size_t root, std::size_t slot, const void* thread) noexcept;

/// The arena for the huge blocks of a root's threads; -1 where jemalloc refuses.
int huge_arena(std::size_t root) noexcept;

}  // namespace charm::shim
