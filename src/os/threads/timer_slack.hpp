// The timer slack: how late the kernel may end a thread's timed sleeps.
#pragma once

namespace charm::os {

/// Sleeps of the calling thread end within about a microsecond of their time, not within the 50 that the kernel takes
/// by default to join wake-ups.
void set_timer_slack() noexcept;

}  // namespace charm::os
