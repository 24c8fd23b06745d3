// jemalloc's arenas with placed memory: for each node with cpus some arenas for normal blocks and one for huge ones.
// jemalloc asks for extents through hooks, which decide where the extents lie.
//
// Normal arenas cut extents out of chunks of some MiB on one memory, the best of the socket when the chunk is made
// (TAPMM §3.3). Their memory is never unmapped but kept for reuse, and given back page by page when jemalloc purges.
// Huge arenas map every extent by itself, spread by the weights of that moment, and unmap it when it is freed: a
// block's pages stay where they were put, and new weights apply to new blocks.
//
// - Hooks call nobody: hooks allocate nothing and call nobody but the kernel: they run below jemalloc's locks. `Hook`
//   (hook.hpp) asserts the first; a test looks at what the library needs of others for the second. The only lock that
//   they take is that of shared.hpp, within which nothing else is taken.
// - jemalloc retains nothing: jemalloc must run with retain:false. Otherwise it keeps memory that the hook of a huge
//   arena has unmapped.
// - Default hooks, redirected: normal arenas have jemalloc's default hooks, two of which the linker redirects (--wrap).
//   With hooks of their own jemalloc would prepare for an allocation within the hook whenever it splits or merges
//   extents, which takes two full barriers for each slab that it makes or frees.
// - Nothing goes through jemalloc's mallctl(), whose first call takes 140 KiB for statistics that nobody reads. The
//   functions behind it make arenas and move threads between them.
#pragma once

#include <cstddef>

namespace charm::shim {

/// The most arenas for the normal blocks of a root's threads; as in jemalloc, a cpu has not more than four.
inline constexpr std::size_t arenas_per_root = 32;

/// An arena for normal blocks of a root: one that no thread uses, a new one, or the one that the fewest threads use.
/// What threads leave behind serves those that come after.
/// \param current the arena that the thread uses, by jemalloc's number; it stays if no other has fewer threads.
/// \param thread jemalloc's state of the thread.
/// \return the arena's number; -1 where jemalloc refuses.
int normal_arena(std::size_t root, int current, void* thread) noexcept;

/// Whether other threads use this arena of jemalloc, too.
bool is_shared(int arena) noexcept;

/// Lets the thread allocate from an arena of jemalloc, of its own accord, too.
void move_thread(void* thread, void* from, int to) noexcept;

/// Joins the thread's cache of free blocks to an arena. Else it goes on counting what it does in its former one, under
/// that one's locks.
void join_cache(void* thread, void* cache, void* arena) noexcept;

/// The arena for a huge block of a root's threads: with mappings of its own while there are enough, else with shared
/// ones (shared.hpp); -1 where jemalloc refuses. \param thread see above; nullptr where it is not known.
int huge_arena(std::size_t root, std::size_t bytes, void* thread) noexcept;

/// The one with shared mappings, where the other one has no memory.
int shared_arena(std::size_t root, void* thread) noexcept;

/// How many mappings of a layer the process may have. Once, before blocks are placed.
void allow_mappings(std::size_t mappings) noexcept;

/// Around fork(), before jemalloc's own locks.
void hold_arenas() noexcept;
void release_arenas() noexcept;

}  // namespace charm::shim
