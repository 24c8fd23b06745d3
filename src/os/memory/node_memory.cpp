#include "os/memory/node_memory.hpp"

#include <charm/error.hpp>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include <sys/mman.h>
#include <sys/syscall.h>

#include "os/memory/memory_policy.hpp"
#include "os/memory/stack_memory.hpp"

namespace charm::os {
namespace {

bool set_policy(void* data, std::size_t bytes, MemoryPolicy policy, int node) {
#ifdef SYS_mbind
  const NodeMask mask(OsNodeSet{node});
  return syscall(SYS_mbind, data, bytes, policy, mask.words.data(), mask.bits(), 0UL) == 0;
#else
  return false;
#endif
}

}  // namespace

NodeMemory::NodeMemory(std::size_t bytes, int node, bool huge) : bytes_(bytes == 0 ? 1 : bytes) {
  void* data = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) {
    throw Error(Errc::system, "cannot map " + std::to_string(bytes_) + " bytes: " + std::strerror(errno),
                "free memory or measure smaller working sets");
  }
  data_ = data;
  if (huge) madvise(data_, bytes_, MADV_HUGEPAGE);
  if (node >= 0) bound_ = set_policy(data_, bytes_, MemoryPolicy::bind, node);
}

NodeMemory::NodeMemory(NodeMemory&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_), bound_(other.bound_) {}

NodeMemory::~NodeMemory() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

bool prefer_node(void* data, std::size_t bytes, int node) noexcept {
  return set_policy(data, bytes, MemoryPolicy::preferred, node);
}

PageHome page_home(const void* address) noexcept {
#ifdef SYS_move_pages
  const std::uintptr_t page = page_bytes();
  void* begin = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(address) & ~(page - 1));
  int status = -1;
  if (syscall(SYS_move_pages, 0, 1UL, &begin, nullptr, &status, 0) != 0) return {-1, errno};
  return status >= 0 ? PageHome{status, 0} : PageHome{-1, -status};
#else
  return {-1, ENOSYS};
#endif
}

int home_of(const void* address) {
#ifdef SYS_get_mempolicy
  int node = -1;
  if (syscall(SYS_get_mempolicy, &node, nullptr, 0UL, address, mpol_f_node | mpol_f_addr) == 0) return node;
#endif
  return -1;
}

}  // namespace charm::os
