#include "sched/wait/thread_wait.hpp"

#include <charm/runtime.hpp>

#include <chrono>
#include <optional>

#include "os/threads/futex.hpp"
#include "os/threads/pause.hpp"
#include "sched/debug/deadlock.hpp"
#include "sched/run/dropping.hpp"
#include "sched/run/oversubscription.hpp"
#include "sched/run/runtime.hpp"
#include "sched/run/visit.hpp"
#include "sched/wait/blocking_pool.hpp"
#include "sched/wait/outside_waits.hpp"

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

/// A wait without a time limit, which the report of a deadlock shows while the thread sleeps. After a second the thread
/// looks for a deadlock itself, once.
class ShownWait {
 public:
  ShownWait(const WaitReason& reason, const fiber::Fiber* task, const std::atomic<std::uintptr_t>& state) noexcept
      : wait_{reason, task, state} {}
  ~ShownWait() { outside_waits.remove(wait_); }
  ShownWait(const ShownWait&) = delete;
  ShownWait& operator=(const ShownWait&) = delete;

  void begin() noexcept { outside_waits.add(wait_); }
  /// Before the waiting code is left for good, without its destructors.
  void end() noexcept { outside_waits.remove(wait_); }

  void sleep(os::FutexWord& woken) noexcept {
    const std::int64_t limit = looked_ ? -1 : DeadlockWatch::after_ns;
    if (os::futex_wait(woken, 0, std::chrono::nanoseconds(limit)) || looked_) return;
    looked_ = true;
    if (const Visit runtime = Visit::until_the_end()) runtime->main.waits.deadlock.look_from_outside();
  }

 private:
  OutsideWaits::Wait wait_;
  bool looked_ = false;
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

/// Sleeps until the wait is over. \param shown if it has no time limit; else null. \param endless of a thread of the
/// pool without a time limit; else null. \return as wait_in_thread.
bool sleep_on(std::atomic<std::uintptr_t>& state, std::int64_t deadline, WaitingThread& thread, ShownWait* shown,
              EndlessWait* endless) {
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
  if (shown != nullptr) shown->begin();
  using Entry = BlockingPool::EndlessWait;
  for (std::uint32_t seen = 0; (seen = thread.woken.load(std::memory_order_acquire)) != Entry::rung;) {
    if (seen == Entry::ended) {
      expected = self;
      if (state.compare_exchange_strong(expected, 0, std::memory_order_acq_rel)) {
        shown->end();
        endless->abandon();
      }
      os::futex_wait(thread.woken, seen);  // it is done, and we are about to be woken
      continue;
    }
    if (shown != nullptr) {
      shown->sleep(thread.woken);
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
    ShownWait shown(reason, running_fiber(), state);
    sleep_on(state, Completion::never, thread, &shown, &endless);
    return;
  }
  ShownWait shown(reason, nullptr, state);
  sleep_on(state, Completion::never, thread, &shown, nullptr);
}

bool wait_in_thread(std::atomic<std::uintptr_t>& state, std::int64_t deadline, const WaitReason& reason,
                    DropStop stop) {
  WaitingThread thread;
  BlockingThreadWait in_pool;
  std::optional<EndlessWait> endless;
  std::optional<ShownWait> shown;
  if (deadline == Completion::never) {
    if (in_pool) endless.emplace(in_pool, state, thread, reason, stop);
    shown.emplace(reason, in_pool ? running_fiber() : nullptr, state);
  }
  return sleep_on(state, deadline, thread, shown ? &*shown : nullptr, endless ? &*endless : nullptr);
}

}  // namespace charm::sched
