#include "os/memory/stack_memory.hpp"

#include <unistd.h>

#include <sys/mman.h>

namespace charm::os {
namespace {

constexpr int madv_guard_install = 102;  // not in the headers of the systems we build on

}  // namespace

std::size_t page_bytes() noexcept {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

void* map_stack(std::size_t bytes) noexcept {
  void* memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  madvise(memory, bytes, MADV_NOHUGEPAGE);  // so that a stack costs a page or two once it is touched, not 2 MiB
  return memory;
}

void unmap_stack(void* data, std::size_t bytes) noexcept { munmap(data, bytes); }

bool install_guard_page(void* page) noexcept { return madvise(page, page_bytes(), madv_guard_install) == 0; }

bool protect_guard_page(void* page) noexcept { return mprotect(page, page_bytes(), PROT_NONE) == 0; }

void discard_pages(void* data, std::size_t bytes) noexcept { madvise(data, bytes, MADV_DONTNEED); }

}  // namespace charm::os
