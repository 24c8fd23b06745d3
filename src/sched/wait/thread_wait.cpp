#include "sched/wait/thread_wait.hpp"

#include <charm/runtime.hpp>

#include <chrono>
#include <optional>

#include "os/threads/futex.hpp"
#include "os/threads/pause.hpp"
#include "sched/run/dropping.hpp"
#include "sched/run/oversubscription.hpp"
#include "sched/run/runtime.hpp"
#include "sched/wait/blocking_pool.hpp"

namespace charm::sched {

using detail::Completion;
using detail::WaitReason;

namespace {

struct WaitingThread {
  alignas(8) os::FutexWord woken{0};
};
std::uintptr_t waiter_of(WaitingThread& thread) noexcept {
  return reinterpret_cast<std::uintptr_t>(&thread) | thread_bit;
}

/// Counts the threads outside that wait for the runtime without a time limit: meanwhile they cannot wake a task.
class Outside {
 public:
  Outside() noexcept { Runtime::outside_waiting.fetch_add(1, std::memory_order_relaxed); }
  ~Outside() { Runtime::outside_waiting.fetch_sub(1, std::memory_order_relaxed); }
  Outside(const Outside&) = delete;
  Outside& operator=(const Outside&) = delete;
};

/// A wait of a thread of the blocking pool that has no time limit (endless waits are listed,
/// sched/wait/blocking_pool.hpp).
struct EndlessWait {
  EndlessWait(BlockingThreadWait& thread, std::atomic<std::uintptr_t>& state, WaitingThread& waiter,
              const WaitReason& wait_reason, DropStop drop_stop) noexcept
      : in_pool(thread), reason(wait_reason), stop(drop_stop), entry{state, waiter_of(waiter), waiter.woken} {
    if (!in_pool->list(entry)) abandon();
  }
  ~EndlessWait() { in_pool->unlist(entry); }
  EndlessWait(const EndlessWait&) = delete;
  EndlessWait& operator=(const EndlessWait&) = delete;

  /// The runtime has ended, and nothing names the waiter any more.
  [[noreturn]] void abandon() noexcept {
    leave_lists(reason.listed);
    if (stop.drop != nullptr) stop.drop(stop.argument);
    abandon_blocking_task();
  }

  BlockingThreadWait& in_pool;
  const WaitReason& reason;
  DropStop stop;
  BlockingPool::EndlessWait entry;
};

/// Sleeps until the wait is over. \param endless of a thread of the pool without a time limit; else null.
/// \return as wait_in_thread.
bool sleep_on(std::atomic<std::uintptr_t>& state, std::int64_t deadline, WaitingThread& thread,
              EndlessWait* endless = nullptr) {
  constexpr std::uintptr_t expired = Completion::expired_value;
  const bool alone = charm::num_workers() == 1;  // the only worker may need this very cpu
  const int spins = alone || oversubscribed() ? 20 : 2000;
  for (int spin = 0; spin < spins; ++spin) {
    if (state.load(std::memory_order_acquire) != 0) break;
    os::pause();
  }
  const std::uintptr_t self = waiter_of(thread);
  std::uintptr_t expected = 0;
  if (!state.compare_exchange_strong(expected, self, std::memory_order_acq_rel)) return expected != expired;
  using Entry = BlockingPool::EndlessWait;
  for (std::uint32_t seen = 0; (seen = thread.woken.load(std::memory_order_acquire)) != Entry::rung;) {
    if (seen == Entry::ended) {
      expected = self;
      if (state.compare_exchange_strong(expected, 0, std::memory_order_acq_rel)) endless->abandon();
      os::futex_wait(thread.woken, seen);  // it is done, and we are about to be woken
      continue;
    }
    std::int64_t left = -1;
    if (deadline != Completion::never) {
      left = deadline - detail::steady_now();
      expected = self;
      if (left <= 0 && state.compare_exchange_strong(expected, 0, std::memory_order_acq_rel)) return false;
      if (left <= 0) left = -1;  // it is done, and we are about to be woken
    }
    os::futex_wait(thread.woken, 0, std::chrono::nanoseconds(left));
  }
  return state.load(std::memory_order_acquire) != expired;
}

}  // namespace

void wake_thread(std::uintptr_t waiter) noexcept {
  auto* thread = reinterpret_cast<WaitingThread*>(waiter & ~thread_bit);
  // The waiter may return, and its word be gone, as soon as it reads 1. Waking an address that is gone is harmless: at
  // worst another futex at this address sees a spurious wake, which every futex user must expect.
  thread->woken.store(BlockingPool::EndlessWait::rung, std::memory_order_release);
  os::futex_wake(thread->woken, 1);
}

void wait_in_thread(std::atomic<std::uintptr_t>& state, const WaitReason& reason) {
  WaitingThread thread;
  if (BlockingThreadWait in_pool; in_pool) {
    EndlessWait endless(in_pool, state, thread, reason, {});
    sleep_on(state, Completion::never, thread, &endless);
    return;
  }
  Outside outside;
  sleep_on(state, Completion::never, thread);
}

bool wait_in_thread(std::atomic<std::uintptr_t>& state, std::int64_t deadline, const WaitReason& reason,
                    DropStop stop) {
  WaitingThread thread;
  BlockingThreadWait in_pool;
  std::optional<EndlessWait> endless;
  if (in_pool && deadline == Completion::never) endless.emplace(in_pool, state, thread, reason, stop);
  return sleep_on(state, deadline, thread, endless ? &*endless : nullptr);
}

}  // namespace charm::sched
