// The runtime in a child of fork().
#pragma once

namespace charm::sched {

/// Installs, once for the process, handlers by which a child of fork() begins without a runtime.
void follow_forks() noexcept;

}  // namespace charm::sched
