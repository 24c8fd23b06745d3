// System calls by the instruction itself. Through the C library they could end in a library that was preloaded (to
// record a program's files, say), which may allocate; inside of malloc that would be a second allocation below the
// first one's locks.
#pragma once

#include <cerrno>

#include <sys/syscall.h>
#if !defined(__x86_64__) && !defined(__aarch64__)
#include <unistd.h>
#endif

namespace charm::os::bare {

/// \return the kernel's answer: from -4095 to -1 it is the negative of an errno, which itself stays as it was.
inline long raw_call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) noexcept {
#if defined(__x86_64__)
  long result = number;
  register long fourth __asm__("r10") = d;
  register long fifth __asm__("r8") = e;
  register long sixth __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "+a"(result)
                   : "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                   : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long which __asm__("x8") = number;
  register long result __asm__("x0") = a;
  register long second __asm__("x1") = b;
  register long third __asm__("x2") = c;
  register long fourth __asm__("x3") = d;
  register long fifth __asm__("x4") = e;
  register long sixth __asm__("x5") = f;
  __asm__ volatile("svc 0"
                   : "+r"(result)
                   : "r"(which), "r"(second), "r"(third), "r"(fourth), "r"(fifth), "r"(sixth)
                   : "memory");
  return result;
#else  // the malloc is not built for others
  const int before = errno;
  const long result = syscall(number, a, b, c, d, e, f);
  const long answer = result == -1 ? -errno : result;
  errno = before;
  return answer;
#endif
}

template <class Pointer>
long as_long(Pointer* pointer) noexcept {
  return reinterpret_cast<long>(pointer);
}

constexpr bool failed(long answer) noexcept { return answer < 0 && answer >= -4095; }

}  // namespace charm::os::bare
