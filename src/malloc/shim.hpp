// What the functions of C and the operators of C++ have in common.
#pragma once

#include <cstddef>

#include "malloc/jemalloc.hpp"

namespace charm::shim {

/// jemalloc is asked for blocks of fewer bytes, and nothing is checked. Else, or now and then, more has to be done.
extern constinit thread_local std::size_t quick_below;
void* allocate_slowly(std::size_t bytes) noexcept;

/// malloc(3). \return nullptr, with errno set, where there is no memory.
inline void* allocate(std::size_t bytes) noexcept {
  if (bytes < quick_below) [[likely]] {
    return charm_je_malloc(bytes);
  }
  return allocate_slowly(bytes);
}

/// aligned_alloc(3).
void* allocate_aligned(std::size_t alignment, std::size_t bytes) noexcept;

/// free(3) of a block that was asked for with so many bytes.
void release(void* block, std::size_t bytes) noexcept;

}  // namespace charm::shim
