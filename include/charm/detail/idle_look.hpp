// Work that comes from outside the process without waking anybody, such as the messages of a network: idle workers poll
// for it (one lookout, sched/run/parking.cpp).
#pragma once

#include <charm/detail/job.hpp>

#include <cstdint>

namespace charm::detail {

/// Looks for such work and posts it by post_anywhere(). Idle workers call it repeatedly, several at the same time, also
/// on threads whose worker another thread has at that moment. It must neither wait nor ask which worker it runs on.
/// \param asleep the caller's worker sleeps between two looks; otherwise it searches, and looks again at once.
/// \return nanoseconds after which a worker that sleeps should look again.
using IdleLook = std::int64_t (*)(bool asleep) noexcept;

/// Sets the function, or with null removes it; one in a process. After it was removed calls may still be under way.
/// \throws Error (not_running).
void set_idle_look(IdleLook look);

/// Queues a job for any worker of the runtime. For calls from an IdleLook, during which the runtime exists.
void post_anywhere(ListedJob& job) noexcept;

}  // namespace charm::detail
