// Drops tasks that still wait when nothing is left that could wake them: removes them from the objects in which they
// wait.
#pragma once

#include <cstddef>
#include <vector>

#include "fiber/fiber.hpp"

namespace charm::detail {
struct Listed;
}

namespace charm::sched {

class Runtime;

/// Removes a waiter that will not continue from the lists that it is in, so that nobody reaches it any more.
void leave_lists(const detail::Listed* listed) noexcept;

/// Detaches a suspended fiber from the event that it waits for, so that nothing can make it ready any more.
/// \return false if a thread outside has made it ready already; then it is in one of the runtime's queues.
bool stop_waiting(fiber::Fiber& fiber) noexcept;

/// Drops the tasks on these fibers: detaches them all, then gives an error to threads outside that wait for them. The
/// object in which a task waits (mutex, channel ...) must still exist. No worker runs any more. Nothing is unwound.
/// \param fibers all that exist; those without a task are left alone. \return how many tasks were dropped.
std::size_t drop_tasks(const Runtime& runtime, const std::vector<fiber::Fiber*>& fibers) noexcept;

}  // namespace charm::sched
