// new and delete. Without them, C++ programs would reach malloc() through their library's operators, which takes
// longer.
//
// The shim is not linked with a C++ library, because C programs would have to load that. When there is no memory it
// calls the operator of the C++ library that the caller was linked with, which fails in the same way and then does the
// rest, from the new handler to the exception. That need not be the program's: a plug-in (an extension of Python)
// brings its own into a program in C, which nobody else sees.
#include <cstddef>
#include <cstdlib>
#include <new>

#include "malloc/jemalloc.hpp"
#include "malloc/messages.hpp"
#include "malloc/shim.hpp"
#include "os/memory/bare.hpp"

namespace {

using charm::shim::allocate_aligned;
using charm::shim::release;

/// The same operator of the C++ library of the caller, else the program's; nullptr where there is none.
template <class Function>
Function* operator_of(const void* caller, Function& own, const char* name) noexcept {
  auto* found = reinterpret_cast<Function*>(charm::os::bare::function_for(caller, name));
  // The program itself sees this library first.
  if (found == nullptr || found == &own) found = reinterpret_cast<Function*>(charm::os::bare::next_function(name));
  return found;
}

[[noreturn]] void give_up() {
  charm::shim::say(
      charm::shim::Text() << "charm: malloc: no memory for an operator new, and no C++ library to say so\n");
  std::abort();
}

using New = void*(std::size_t);
using NewAligned = void*(std::size_t, std::align_val_t);
using NewQuiet = void*(std::size_t, const std::nothrow_t&) noexcept;
using NewAlignedQuiet = void*(std::size_t, std::align_val_t, const std::nothrow_t&) noexcept;

[[gnu::noinline]] void* failed(std::size_t bytes, const void* caller) {
  New* other = operator_of<New>(caller, operator new, "_Znwm");
  if (other == nullptr) give_up();
  return other(bytes);
}

[[gnu::noinline]] void* failed_aligned(std::size_t bytes, std::align_val_t alignment, const void* caller) {
  auto* other = operator_of<NewAligned>(caller, operator new, "_ZnwmSt11align_val_t");
  if (other == nullptr) give_up();
  return other(bytes, alignment);
}

[[gnu::noinline]] void* failed_quietly(std::size_t bytes, const void* caller) noexcept {
  auto* other = operator_of<NewQuiet>(caller, operator new, "_ZnwmRKSt9nothrow_t");
  return other == nullptr ? nullptr : other(bytes, std::nothrow_t{});
}

[[gnu::noinline]] void* failed_quietly_aligned(std::size_t bytes, std::align_val_t alignment,
                                               const void* caller) noexcept {
  auto* other = operator_of<NewAlignedQuiet>(caller, operator new, "_ZnwmSt11align_val_tRKSt9nothrow_t");
  return other == nullptr ? nullptr : other(bytes, alignment, std::nothrow_t{});
}

void* aligned(std::size_t bytes, std::align_val_t alignment) noexcept {
  return allocate_aligned(static_cast<std::size_t>(alignment), bytes);
}

}  // namespace

#define CHARM_EXPORT [[gnu::visibility("default")]]
#define CALLER __builtin_return_address(0)

CHARM_EXPORT void* operator new(std::size_t bytes) {
  void* block = malloc(bytes);
  return block != nullptr ? block : failed(bytes, CALLER);
}
CHARM_EXPORT void* operator new[](std::size_t bytes) {
  void* block = malloc(bytes);
  return block != nullptr ? block : failed(bytes, CALLER);
}
CHARM_EXPORT void* operator new(std::size_t bytes, const std::nothrow_t& /*quiet*/) noexcept {
  void* block = malloc(bytes);
  return block != nullptr ? block : failed_quietly(bytes, CALLER);
}
CHARM_EXPORT void* operator new[](std::size_t bytes, const std::nothrow_t& /*quiet*/) noexcept {
  void* block = malloc(bytes);
  return block != nullptr ? block : failed_quietly(bytes, CALLER);
}
CHARM_EXPORT void* operator new(std::size_t bytes, std::align_val_t alignment) {
  void* block = aligned(bytes, alignment);
  return block != nullptr ? block : failed_aligned(bytes, alignment, CALLER);
}
CHARM_EXPORT void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  void* block = aligned(bytes, alignment);
  return block != nullptr ? block : failed_aligned(bytes, alignment, CALLER);
}
CHARM_EXPORT void* operator new(std::size_t bytes, std::align_val_t alignment,
                                const std::nothrow_t& /*quiet*/) noexcept {
  void* block = aligned(bytes, alignment);
  return block != nullptr ? block : failed_quietly_aligned(bytes, alignment, CALLER);
}
CHARM_EXPORT void* operator new[](std::size_t bytes, std::align_val_t alignment,
                                  const std::nothrow_t& /*quiet*/) noexcept {
  void* block = aligned(bytes, alignment);
  return block != nullptr ? block : failed_quietly_aligned(bytes, alignment, CALLER);
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
