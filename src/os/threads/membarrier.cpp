#include "os/threads/membarrier.hpp"

#include <atomic>
#include <unistd.h>

#include <linux/membarrier.h>
#include <sys/syscall.h>

namespace charm::os {
namespace {
std::atomic<bool> registered{false};
long membarrier(int command) noexcept { return syscall(SYS_membarrier, command, 0, 0); }
}  // namespace

bool register_heavy_barrier() noexcept {
  long commands = membarrier(MEMBARRIER_CMD_QUERY);
  bool usable = commands > 0 && (commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0 &&
                membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
  registered.store(usable, std::memory_order_release);
  return usable;
}

bool has_heavy_barrier() noexcept { return registered.load(std::memory_order_acquire); }

bool heavy_barrier() noexcept {
  if (membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) == 0) return true;
  registered.store(false, std::memory_order_seq_cst);
  return false;
}

}  // namespace charm::os
