// Mappings of files, by system calls that call nobody (raw_call.hpp). As bare.hpp: no memory, no lock, errno stays.
#pragma once

#include <cstddef>
#include <cstdint>

namespace charm::os::bare {

/// mmap(2) itself. \return its address, or the negative of an errno.
long map_file(void* wanted, std::size_t bytes, int protection, int flags, int file, long offset) noexcept;

/// 0 where it is not a plain file.
std::uint64_t plain_file_bytes(int file) noexcept;

/// Gives each page of a private mapping that can be written to a copy of its own now, by the mapping's memory policy.
/// \return false where the kernel has no memory for all.
bool copy_pages(void* data, std::size_t bytes) noexcept;

/// mprotect(2). \return 0 or an errno.
int protect(void* data, std::size_t bytes, int protection) noexcept;

/// The node of the cpu that the caller is on; -1 where the kernel does not say.
int current_node() noexcept;

}  // namespace charm::os::bare
