// What the functions of C and the operators of C++ have in common.
#pragma once

#include <cstddef>

namespace charm::shim {

/// aligned_alloc(3).
void* allocate_aligned(std::size_t alignment, std::size_t bytes) noexcept;

/// free(3) of a block that was asked for with so many bytes.
void release(void* block, std::size_t bytes) noexcept;

}  // namespace charm::shim
