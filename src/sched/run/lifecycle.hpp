// Who has called init() and not yet finalize() (sched/run/lifecycle.cpp), where fork() has to know of it.
#pragma once

namespace charm::sched {

/// Around a fork(): nobody is in between two steps of init() or finalize().
void lock_lifecycle() noexcept;
void unlock_lifecycle() noexcept;
/// In the child, unlocked: nobody has called init().
void forget_lifecycle() noexcept;

}  // namespace charm::sched
