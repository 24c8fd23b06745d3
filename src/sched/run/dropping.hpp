// Tasks that still wait when nothing is left that could wake them: taken off what they wait for, and dropped.
#pragma once

#include <cstddef>
#include <vector>

#include "fiber/fiber.hpp"

namespace charm::sched {

class Runtime;

/// Takes a suspended fiber away from the event that it waits for, so that nobody makes it ready any more.
/// \return false where a thread outside has done so already; then it lies in one of the runtime's queues.
bool stop_waiting(fiber::Fiber& fiber) noexcept;

/// Drops the tasks on these fibers: detaches them all, then tells those who wait for them outside. What a task waits in
/// (mutex, channel ...) must still exist. No worker runs any more. Nothing is unwound.
/// \param fibers all that exist; those without a task are left alone. \return how many tasks were dropped.
std::size_t drop_tasks(const Runtime& runtime, const std::vector<fiber::Fiber*>& fibers) noexcept;

}  // namespace charm::sched
