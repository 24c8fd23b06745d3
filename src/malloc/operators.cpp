// new and delete. Without them, C++ programs would reach malloc() through their library's operators, which takes
// longer.
//
// The shim is not linked with a C++ library, because C programs would have to load that. When there is no memory it
// calls the next definition in the program, that of its C++ library, which fails in the same way and then does the
// rest, from the new handler to the exception.
#include <cstddef>
#include <cstdlib>
#include <new>

#include "malloc/jemalloc.hpp"
#include "malloc/shim.hpp"
#include "malloc/text.hpp"
#include "os/memory/bare.hpp"

namespace {

using charm::shim::allocate_aligned;
using charm::shim::release;

template <class Function>
Function* next(const char* name) noexcept {
  return reinterpret_cast<Function*>(charm::os::bare::next_function(name));
}

[[noreturn]] void give_up() {
  charm::shim::say(
      charm::shim::Text() << "charm: malloc: no memory for an operator new, and no C++ library to say so\n");
  std::abort();
}

[[gnu::noinline]] void* failed(std::size_t bytes) {
  auto* other = next<void*(std::size_t)>("_Znwm");
  if (other == nullptr) give_up();
  return other(bytes);
}

[[gnu::noinline]] void* failed_aligned(std::size_t bytes, std::align_val_t alignment) {
  auto* other = next<void*(std::size_t, std::align_val_t)>("_ZnwmSt11align_val_t");
  if (other == nullptr) give_up();
  return other(bytes, alignment);
}

[[gnu::noinline]] void* failed_quietly(std::size_t bytes) noexcept {
  auto* other = next<void*(std::size_t, const std::nothrow_t&)>("_ZnwmRKSt9nothrow_t");
  return other == nullptr ? nullptr : other(bytes, std::nothrow_t{});
}

[[gnu::noinline]] void* failed_quietly_aligned(std::size_t bytes, std::align_val_t alignment) noexcept {
  auto* other = next<void*(std::size_t, std::align_val_t, const std::nothrow_t&)>("_ZnwmSt11align_val_tRKSt9nothrow_t");
  return other == nullptr ? nullptr : other(bytes, alignment, std::nothrow_t{});
}

void* aligned(std::size_t bytes, std::align_val_t alignment) noexcept {
  return allocate_aligned(static_cast<std::size_t>(alignment), bytes);
}

}  // namespace

#define CHARM_EXPORT [[gnu::visibility("default")]]

CHARM_EXPORT void* operator new(std::size_t bytes) {
  void* block = malloc(bytes);
  return block != nullptr ? block : failed(bytes);
}
CHARM_EXPORT void* operator new[](std::size_t bytes) {
  void* block = malloc(bytes);
  return block != nullptr ? block : failed(bytes);
}
CHARM_EXPORT void* operator new(std::size_t bytes, const std::nothrow_t& /*quiet*/) noexcept {
  void* block = malloc(bytes);
  return block != nullptr ? block : failed_quietly(bytes);
}
CHARM_EXPORT void* operator new[](std::size_t bytes, const std::nothrow_t& /*quiet*/) noexcept {
  void* block = malloc(bytes);
  return block != nullptr ? block : failed_quietly(bytes);
}
CHARM_EXPORT void* operator new(std::size_t bytes, std::align_val_t alignment) {
  void* block = aligned(bytes, alignment);
  return block != nullptr ? block : failed_aligned(bytes, alignment);
}
CHARM_EXPORT void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  void* block = aligned(bytes, alignment);
  return block != nullptr ? block : failed_aligned(bytes, alignment);
}
CHARM_EXPORT void* operator new(std::size_t bytes, std::align_val_t alignment,
                                const std::nothrow_t& /*quiet*/) noexcept {
  void* block = aligned(bytes, alignment);
  return block != nullptr ? block : failed_quietly_aligned(bytes, alignment);
}
CHARM_EXPORT void* operator new[](std::size_t bytes, std::align_val_t alignment,
                                  const std::nothrow_t& /*quiet*/) noexcept {
  void* block = aligned(bytes, alignment);
  return block != nullptr ? block : failed_quietly_aligned(bytes, alignment);
}

CHARM_EXPORT void operator delete(void* block) noexcept { free(block); }
CHARM_EXPORT void operator delete[](void* block) noexcept { free(block); }
CHARM_EXPORT void operator delete(void* block, const std::nothrow_t& /*quiet*/) noexcept { free(block); }
CHARM_EXPORT void operator delete[](void* block, const std::nothrow_t& /*quiet*/) noexcept { free(block); }
CHARM_EXPORT void operator delete(void* block, std::size_t bytes) noexcept { release(block, bytes); }
CHARM_EXPORT void operator delete[](void* block, std::size_t bytes) noexcept { release(block, bytes); }
// jemalloc frees aligned blocks like all others; only their size class depends on the alignment.
CHARM_EXPORT void operator delete(void* block, std::align_val_t /*alignment*/) noexcept { free(block); }
CHARM_EXPORT void operator delete[](void* block, std::align_val_t /*alignment*/) noexcept { free(block); }
CHARM_EXPORT void operator delete(void* block, std::size_t /*bytes*/, std::align_val_t /*alignment*/) noexcept {
  free(block);
}
CHARM_EXPORT void operator delete[](void* block, std::size_t /*bytes*/, std::align_val_t /*alignment*/) noexcept {
  free(block);
}
CHARM_EXPORT void operator delete(void* block, std::align_val_t /*alignment*/, const std::nothrow_t& /*q*/) noexcept {
  free(block);
}
CHARM_EXPORT void operator delete[](void* block, std::align_val_t /*alignment*/, const std::nothrow_t& /*q*/) noexcept {
  free(block);
}
