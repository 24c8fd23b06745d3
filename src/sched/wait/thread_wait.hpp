// Waits of threads that are no workers: threads of the program, and those of the blocking pool. Such a thread spins for
// a moment and then sleeps on a futex of its own, whose address stands for it in the Completion.
#pragma once

#include <charm/detail/completion.hpp>

#include <atomic>
#include <cstdint>

namespace charm::sched {

/// Set in a waiter that is a thread; the address of a task's fiber has it clear.
inline constexpr std::uintptr_t thread_bit = 1;

/// \param waiter has thread_bit; its wait is over.
void wake_thread(std::uintptr_t waiter) noexcept;

/// Forgets a wait's stop token: called with `argument` where the waiting code never goes on. Null where there is none.
struct DropStop {
  void (*drop)(void*) noexcept = nullptr;
  void* argument = nullptr;
};

// Two functions that are not inlined: a worker's task runs others on its stack while it waits, level upon level, so its
// frames must not contain what only threads need.

/// Waits for `state` without a time limit.
[[gnu::noinline]] void wait_in_thread(std::atomic<std::uintptr_t>& state, const detail::WaitReason& reason);

/// \return false where the time was over first, or the wait was ended; then the thread is no longer the waiter, but the
/// state may still say that the wait was ended.
[[gnu::noinline]] bool wait_in_thread(std::atomic<std::uintptr_t>& state, std::int64_t deadline,
                                      const detail::WaitReason& reason, DropStop stop);

}  // namespace charm::sched
