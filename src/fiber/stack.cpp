// There are three kinds of guards. Linux 6.13 can mark guard pages without splitting the mapping (MADV_GUARD_INSTALL),
// so that 10^5 stacks are one mapping. Before that a guard page is an mprotect, which costs two mappings for each
// stack, and vm.max_map_count (65,530 by default) would end the program. So stacks get guards until these use half of
// the limit; further stacks have none, and a notice says so.
#include "fiber/stack.hpp"

#include <charm/error.hpp>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

#include "base/notices.hpp"
#include "fiber/sanitizers.hpp"
#include "os/memory/memory.hpp"
#include "os/memory/node_memory.hpp"
#include "os/memory/stack_memory.hpp"

// Memcheck takes a switch to a stack that lies near the old one for a large frame, and calls what is on it undefined,
// unless it knows both. Telling it costs six instructions for each stack, and nothing else where valgrind does not run.
#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#endif

namespace charm::fiber {
namespace {

using os::page_bytes;

#if defined(VALGRIND_STACK_REGISTER)
unsigned register_with_valgrind(const std::byte* base, std::size_t bytes) noexcept {
  return VALGRIND_STACK_REGISTER(base, base + bytes);
}
void unregister_with_valgrind(const Stack& stack) noexcept { VALGRIND_STACK_DEREGISTER(stack.valgrind); }
#else
unsigned register_with_valgrind(const std::byte* /*base*/, std::size_t /*bytes*/) noexcept { return 0; }
void unregister_with_valgrind(const Stack& /*stack*/) noexcept {}
#endif

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
    if (os::install_guard_page(page)) return;
    light_guards.store(false, std::memory_order_relaxed);
  }
  if (guarded_stacks.fetch_add(1, std::memory_order_relaxed) < guard_budget() && os::protect_guard_page(page)) return;
  base::notice("stack-guard", "more than " + std::to_string(guard_budget()) +
                                  " task stacks are alive; further ones have no guard page (raise vm.max_map_count)");
}

}  // namespace

std::size_t guard_bytes() noexcept { return page_bytes(); }

Stack allocate_stack(std::size_t bytes, int node) {
  std::size_t page = page_bytes();
  bytes = (bytes + page - 1) / page * page;
  void* memory = os::map_stack(bytes + page);
  if (memory == nullptr) {
    throw Error(
        Errc::system, "cannot reserve a task stack of " + std::to_string(bytes) + " bytes: " + std::strerror(errno),
        "lower stack_bytes, keep fewer tasks suspended, or raise vm.max_map_count and the limit on address space");
  }
  if (node >= 0) os::prefer_node(memory, bytes + page, node);
  install_guard(memory);
  mapped.fetch_add(1, std::memory_order_relaxed);
  std::byte* const base = static_cast<std::byte*>(memory) + page;
  return {base, bytes, register_with_valgrind(base, bytes)};
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
  unregister_with_valgrind(stack);
  os::unmap_stack(stack.base - page_bytes(), stack.bytes + page_bytes());
  if (!light_guards.load(std::memory_order_relaxed)) guarded_stacks.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace charm::fiber
