// The part of the count of init() and finalize() calls (sched/run/lifecycle.cpp) that fork() needs.
#pragma once

namespace charm::sched {

/// Around a fork(): nobody is in between two steps of init() or finalize().
void lock_lifecycle() noexcept;
void unlock_lifecycle() noexcept;
/// In the child, unlocked: nobody has called init().
void forget_lifecycle() noexcept;

}  // namespace charm::sched
