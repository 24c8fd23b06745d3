// The hint of a spinning thread to its core.
#pragma once

namespace charm::os {

inline void pause() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");  // yield is a no-op on most Arm cores; isb really waits a few cycles
#endif
}

}  // namespace charm::os
