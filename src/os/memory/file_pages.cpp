#include "os/memory/file_pages.hpp"

#include <cerrno>

#include <sys/mman.h>
#include <sys/stat.h>

#include "os/memory/bare.hpp"
#include "os/memory/raw_call.hpp"

namespace charm::os::bare {
namespace {

constexpr int populate_for_writing = 23;  // MADV_POPULATE_WRITE, of Linux 5.14

}  // namespace

long map_file(void* wanted, std::size_t bytes, int protection, int flags, int file, long offset) noexcept {
  return raw_call(SYS_mmap, as_long(wanted), static_cast<long>(bytes), protection, flags, file, offset);
}

std::uint64_t plain_file_bytes(int file) noexcept {
  struct stat found{};
  if (raw_call(SYS_fstat, file, as_long(&found)) != 0 || !S_ISREG(found.st_mode)) return 0;
  return static_cast<std::uint64_t>(found.st_size);
}

bool copy_pages(void* data, std::size_t bytes) noexcept {
  const long answer = raw_call(SYS_madvise, as_long(data), static_cast<long>(bytes), populate_for_writing);
  if (answer != -EINVAL) return answer == 0;
  auto* pages = static_cast<volatile char*>(data);
  for (std::size_t at = 0; at < bytes; at += page_bytes()) pages[at] = pages[at];
  return true;
}

int protect(void* data, std::size_t bytes, int protection) noexcept {
  return static_cast<int>(-raw_call(SYS_mprotect, as_long(data), static_cast<long>(bytes), protection));
}

int current_node() noexcept {
  unsigned node = 0;
  return failed(raw_call(SYS_getcpu, 0, as_long(&node))) ? -1 : static_cast<int>(node);
}

}  // namespace charm::os::bare
