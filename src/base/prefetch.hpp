// A prefetch for writing that takes the line from other cores. For x86-64 without further options compilers make a
// prefetch for reading of __builtin_prefetch(address, 1), after which the write still waits for the others' copies.
#pragma once

namespace charm::base {

/// Any address; it need not be valid.
inline void prefetch_to_write(const void* address) noexcept {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(address)));  // does nothing on Intel before Broadwell
#else
  __builtin_prefetch(address, 1);
#endif
}

}  // namespace charm::base
