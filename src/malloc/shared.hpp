// Memory for huge blocks that share mappings: where each had its own, two or more for every block, a process would soon
// have all the mappings that it may have (vm.max_map_count), and get no memory at all.
//
// Each layer of a root's weights (memory/layers.hpp) has a chunk of up to 64 GiB of addresses, which is one mapping
// with one policy. A block lies in one layer: the one that has been given the least of its part so far. So a block is
// placed less exactly than one with mappings of its own, and all of them together are placed by the weights. A chunk
// keeps the weights of the time when it was made.
//
// Its addresses are never unmapped; jemalloc keeps them, and gives back their pages.
#pragma once

#include <cstddef>

namespace charm::shim {

/// \param wanted where it must lie, at the end of another one; nullptr: anywhere. \return nullptr where there is none.
void* shared_extent(std::size_t root, void* wanted, std::size_t bytes, std::size_t alignment) noexcept;

/// Around fork(), behind jemalloc's own locks: the hooks of its arenas take this one.
void hold_shared() noexcept;
void release_shared() noexcept;

}  // namespace charm::shim
