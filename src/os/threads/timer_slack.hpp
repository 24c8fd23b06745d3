// The timer slack: how late the kernel may end a thread's timed sleeps.
#pragma once

#include <cstdint>

namespace charm::os {

/// Of the calling thread, in nanoseconds; 0 where the kernel does not say.
std::uint64_t timer_slack() noexcept;

/// Threads and programs that the calling thread begins from now on have the same slack. The kernel's default is 50 us,
/// by which it joins wake-ups; with 1 ns, sleeps end within about a microsecond of their time. \param ns 0: no change.
void set_timer_slack(std::uint64_t ns) noexcept;

}  // namespace charm::os
