#include "os/thread_memory.hpp"

#include <cstddef>
#include <unistd.h>
#include <vector>

#include <sys/syscall.h>

#include "os/mempolicy.hpp"

namespace charm::os {
bool has_default_memory_policy() {
#ifdef SYS_get_mempolicy
  int mode = mpol_default;
  if (syscall(SYS_get_mempolicy, &mode, nullptr, 0UL, nullptr, 0UL) == 0) return mode == mpol_default;
#endif
  return true;
}

bool set_memory_node(MemoryPolicy policy, int node) {
#ifdef SYS_set_mempolicy
  constexpr std::size_t bits = 8 * sizeof(unsigned long);
  const auto at = static_cast<std::size_t>(node);
  std::vector<unsigned long> mask(at / bits + 1, 0);
  mask[at / bits] = 1UL << (at % bits);
  // The kernel takes one bit less than it is told.
  return syscall(SYS_set_mempolicy, policy == MemoryPolicy::bind ? mpol_bind : mpol_preferred, mask.data(),
                 mask.size() * bits + 1) == 0;
#else
  return false;
#endif
}

bool set_memory_nodes(NodesPolicy policy, const OsNodeSet& nodes) {
#ifdef SYS_set_mempolicy
  constexpr std::size_t bits = 8 * sizeof(unsigned long);
  std::vector<unsigned long> mask;
  for (const int node : nodes) {
    const auto at = static_cast<std::size_t>(node);
    if (mask.size() <= at / bits) mask.resize(at / bits + 1, 0);
    mask[at / bits] |= 1UL << (at % bits);
  }
  return syscall(SYS_set_mempolicy, policy == NodesPolicy::bind ? mpol_bind : mpol_interleave, mask.data(),
                 mask.size() * bits + 1) == 0;
#else
  return false;
#endif
}

void reset_memory_policy() {
#ifdef SYS_set_mempolicy
  syscall(SYS_set_mempolicy, mpol_default, nullptr, 0UL);
#endif
}

}  // namespace charm::os
