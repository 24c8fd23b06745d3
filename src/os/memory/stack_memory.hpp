// Memory for stacks: address space without commitment, guard pages, and giving pages back.
#pragma once

#include <cstddef>

namespace charm::os {

std::size_t page_bytes() noexcept;

/// Reserves address space for a stack; pages cost memory once they are touched. \param bytes whole pages.
/// \return nullptr with errno set if there is none.
void* map_stack(std::size_t bytes) noexcept;
void unmap_stack(void* data, std::size_t bytes) noexcept;

/// Makes a page a guard without splitting the mapping (MADV_GUARD_INSTALL, Linux 6.13). False on older kernels.
bool install_guard_page(void* page) noexcept;
/// Makes a page a guard by its protection, which costs two mappings of vm.max_map_count. False if these are used up.
bool protect_guard_page(void* page) noexcept;

/// Gives the memory of these pages back to the system; they are zero when they are touched again.
void discard_pages(void* data, std::size_t bytes) noexcept;

}  // namespace charm::os
