// There are three kinds of guards. Linux 6.13 can mark guard pages without splitting the mapping (MADV_GUARD_INSTALL),
// so that 10^5 stacks are one mapping. Before that a guard page is an mprotect, which costs two mappings for each
// stack, and vm.max_map_count (65,530 by default) would end the program. So only as many stacks as use half of it get a
// guard; further ones have none, and a notice says so.
#include "fiber/stack.hpp"

#include <charm/error.hpp>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <unistd.h>

#include <sys/mman.h>

#include "base/notices.hpp"
#include "fiber/sanitizers.hpp"
#include "os/memory.hpp"
#include "os/node_memory.hpp"

namespace charm::fiber {
namespace {

constexpr int madv_guard_install = 102;  // not in the headers of the systems we build on

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

std::atomic<bool> light_guards{true};
std::atomic<long> guarded_stacks{0};
std::atomic<std::uint64_t> mapped{0};

long guard_budget() {
  static const long budget = [] {
    const auto maps = static_cast<long>(os::mapping_limit().value_or(65530));
    return maps / 4;  // two mappings each, and half of them left to the program
  }();
  return budget;
}

void install_guard(void* page) {
  if (light_guards.load(std::memory_order_relaxed)) {
    if (madvise(page, page_bytes(), madv_guard_install) == 0) return;
    light_guards.store(false, std::memory_order_relaxed);
  }
  if (guarded_stacks.fetch_add(1, std::memory_order_relaxed) < guard_budget() &&
      mprotect(page, page_bytes(), PROT_NONE) == 0)
    return;
  base::notice("stack-guard", "more than " + std::to_string(guard_budget()) +
                                  " task stacks are alive; further ones have no guard page (raise vm.max_map_count)");
}

}  // namespace

std::size_t guard_bytes() noexcept { return page_bytes(); }

Stack allocate_stack(std::size_t bytes, int node) {
  std::size_t page = page_bytes();
  bytes = (bytes + page - 1) / page * page;
  void* memory = mmap(nullptr, bytes + page, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) {
    throw Error(
        Errc::system, "cannot reserve a task stack of " + std::to_string(bytes) + " bytes: " + std::strerror(errno),
        "lower stack_bytes, keep fewer tasks suspended, or raise vm.max_map_count and the limit on address space");
  }
  madvise(memory, bytes + page, MADV_NOHUGEPAGE);  // a touched stack shall cost a page or two, not 2 MiB
  if (node >= 0) os::prefer_node(memory, bytes + page, node);
  install_guard(memory);
  mapped.fetch_add(1, std::memory_order_relaxed);
  return {static_cast<std::byte*>(memory) + page, bytes};
}

std::uint64_t stacks_mapped() noexcept { return mapped.load(std::memory_order_relaxed); }

void forget_frames([[maybe_unused]] const Stack& stack) noexcept {
#if defined(CHARM_ASAN)
  __asan_unpoison_memory_region(stack.base - page_bytes(), stack.bytes + page_bytes());
#endif
}

void free_stack(const Stack& stack) noexcept {
  if (stack.base == nullptr) return;
  forget_frames(stack);
  munmap(stack.base - page_bytes(), stack.bytes + page_bytes());
  if (!light_guards.load(std::memory_order_relaxed)) guarded_stacks.fetch_sub(1, std::memory_order_relaxed);
}

void trim_stack(const Stack& stack, std::size_t keep) noexcept {
  keep = (keep + page_bytes() - 1) / page_bytes() * page_bytes();
  if (keep < stack.bytes) madvise(stack.base, stack.bytes - keep, MADV_DONTNEED);
}

}  // namespace charm::fiber
