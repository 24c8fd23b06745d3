#include "os/memory/thread_memory.hpp"

#include <unistd.h>
#include <vector>

#include <sys/syscall.h>

namespace charm::os {

bool has_default_memory_policy() {
#ifdef SYS_get_mempolicy
  int mode = default_memory_policy;
  if (syscall(SYS_get_mempolicy, &mode, nullptr, 0UL, nullptr, 0UL) == 0) return mode == default_memory_policy;
#endif
  return true;
}

bool set_memory_policy(MemoryPolicy policy, const OsNodeSet& nodes) {
#ifdef SYS_set_mempolicy
  const NodeMask mask(nodes);
  return syscall(SYS_set_mempolicy, policy, mask.words.data(), mask.bits()) == 0;
#else
  return false;
#endif
}

void reset_memory_policy() {
#ifdef SYS_set_mempolicy
  syscall(SYS_set_mempolicy, default_memory_policy, nullptr, 0UL);
#endif
}

}  // namespace charm::os
