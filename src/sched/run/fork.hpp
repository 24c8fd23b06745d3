// What becomes of the runtime in a child of fork().
#pragma once

namespace charm::sched {

/// From now on, once for the process: a child of fork() begins without a runtime.
void follow_forks() noexcept;

}  // namespace charm::sched
