#include "os/memory/page_system.hpp"

#include <cerrno>
#include <cstdint>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/syscall.h>

#include "os/files/system_files.hpp"
#include "os/memory/bare.hpp"
#include "os/memory/stack_memory.hpp"

namespace charm::os {
namespace {

std::size_t read_huge_page_bytes() {
  return static_cast<std::size_t>(
      kilobytes_of(read_text("/proc/meminfo"), "Hugepagesize:").value_or(std::uint64_t{2} << 20U));
}

class LinuxPages final : public PageSystem {
 public:
  [[nodiscard]] std::size_t page_bytes() const noexcept override { return os::page_bytes(); }
  [[nodiscard]] std::size_t huge_page_bytes() const noexcept override { return huge_; }
  [[nodiscard]] std::size_t touched_bytes() const noexcept override { return touched_; }

  void* map(std::size_t bytes, bool reserved_huge) override {
    // Reserved huge pages are set aside at mmap. With MAP_NORESERVE a page that is missing later would be a SIGBUS.
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | (reserved_huge ? MAP_HUGETLB : MAP_NORESERVE);
    void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    return data == MAP_FAILED ? nullptr : data;
  }
  void unmap(void* data, std::size_t bytes) noexcept override { munmap(data, bytes); }
  int advise_huge(void* data, std::size_t bytes) override {
    return madvise(data, bytes, MADV_HUGEPAGE) == 0 ? 0 : errno;
  }

  int place(void* data, std::size_t bytes, MemoryPolicy policy, const OsNodeSet& nodes) override {
#ifdef SYS_mbind
    const NodeMask mask(nodes);
    return syscall(SYS_mbind, data, bytes, policy, mask.words.data(), mask.bits(), 0UL) == 0 ? 0 : errno;
#else
    (void)data, (void)bytes, (void)policy, (void)nodes;
    return ENOSYS;
#endif
  }

  int nodes_of(std::span<const void* const> pages, std::span<int> nodes) override {
#ifdef SYS_move_pages
    return syscall(SYS_move_pages, 0, pages.size(), pages.data(), nullptr, nodes.data(), 0) == 0 ? 0 : errno;
#else
    (void)pages, (void)nodes;
    return ENOSYS;
#endif
  }

 private:
  std::size_t huge_ = read_huge_page_bytes();
  std::size_t touched_ = bare::touched_bytes();
};

}  // namespace

PageSystem& page_system() {
  static LinuxPages the_system;
  return the_system;
}

}  // namespace charm::os
