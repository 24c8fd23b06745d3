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
#pragma once

#include <cstddef>

namespace charm::shim {

/// The arena of jemalloc for the normal blocks of threads that run on a cpu of the root, created when it is first
/// needed. Threads of one cpu share it, so that threads which come and go leave no arenas with unused memory behind.
/// \return the arena's number; -1 where jemalloc refuses.
int normal_arena(std::size_t root, std::size_t cpu) noexcept;

/// The arena for the huge blocks of a root's threads; -1 where jemalloc refuses.
int huge_arena(std::size_t root) noexcept;

}  // namespace charm::shim
