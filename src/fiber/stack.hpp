// Stacks of fibers: reserved address space with a guard page at the low end; pages cost memory once they are touched.
#pragma once

#include <cstddef>
#include <cstdint>

namespace charm::fiber {

struct Stack {
  std::byte* base = nullptr;  // lowest usable byte, above the guard page
  std::size_t bytes = 0;      // usable
  unsigned valgrind = 0;      // valgrind's number for it
};

/// \param bytes is rounded up to pages.
/// \param node the OS number of the node whose memory is preferred, wherever a page is touched first; -1: the
/// toucher's.
/// \throws Error (system) if the address space is used up.
Stack allocate_stack(std::size_t bytes, int node = -1);

/// Bytes of the guard below a stack.
std::size_t guard_bytes() noexcept;
void free_stack(const Stack& stack) noexcept;

/// Unpoisons a stack that has become empty, because its frames left parts poisoned (AddressSanitizer).
void forget_frames(const Stack& stack) noexcept;

/// How many stacks the process has mapped so far.
std::uint64_t stacks_mapped() noexcept;

}  // namespace charm::fiber
