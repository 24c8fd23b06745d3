// The functions that the kernel maps into every process, which tell the time without a system call.
#pragma once

#include <ctime>

namespace charm::os::bare {

/// clock_gettime(2). Calls nothing but the kernel's own function, or the kernel where that has none.
/// \return 0 or the negative of an errno.
long read_clock(clockid_t clock, timespec* time) noexcept;

}  // namespace charm::os::bare
