// What the kernel's files say about the machine's memories.
#pragma once

#include <cstddef>

#include "memory/weight_page.hpp"

namespace charm::shim {

/// Whether the machine has memory on more than one node; false where the kernel does not say.
bool several_memories() noexcept;

/// How many mappings a process may have (vm.max_map_count).
std::size_t most_mappings() noexcept;

/// A node without room for its part of a block, while another has more; -1: none. If all are short of memory, the
/// kernel makes room. \param root whose weights spread the block.
int full_node(const memory::WeightPage& page, std::size_t bytes, std::size_t root) noexcept;

}  // namespace charm::shim
