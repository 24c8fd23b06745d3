// A one-shot event with one waiter: the end of a job, or the wake-up of a task that waits in a mutex or channel.
// Waiting suspends a fiber (or, on a thread that is no worker, sleeps); it never blocks a worker.
//
// The state is 0 while the event is pending and nobody waits; the waiter's address while a waiter exists, with a bit
// that tells its kind (a fiber, a thread, a Watcher); and `done_value` for ever after complete(). A wait that may end
// early has one more state: its time limit, the cancellation of its task's group, or its stop token replaces 0 or the
// waiter by `expired_value`, and then has to wake the waiter, which removes the value again. So exactly one of
// complete() and those three wakes the waiter, and a completion that comes after the early end is still seen.
#pragma once

#include <charm/detail/requirements.hpp>

#include <atomic>
#include <cstdint>
#include <stop_token>

namespace charm::detail {

/// The kinds of events that a task waits for, for charm::tasks() and the report of a deadlock.
enum class Wait : std::uint8_t {
  nothing,
  task,
  group,
  mutex,
  condition,
  semaphore,
  latch,
  channel_send,
  channel_receive,
  barrier,
  sleep,
  blocking,
  shared_mutex,
  select,
};

struct Listed;

/// `object` is the address of the mutex, channel ...; it is reported, and never read except for a mutex
/// (fiber::TaskCard::follow_mutex). It is passed by reference, because a copy would be loaded in wider words than it
/// was stored in, which stalls.
struct WaitReason {
  Wait kind = Wait::task;
  const void* object = nullptr;
  const Listed* listed = nullptr;         // the list in which the waiter is
  bool cancellable = false;               // whether the wait ends when the task's group or loop is cancelled
  const std::stop_token* stop = nullptr;  // the wait ends when stop is requested
};

/// Takes the place of a waiter: complete() calls `notify`, as its last action.
struct alignas(8) Watcher {
  void (*notify)(Watcher*) noexcept = nullptr;
};

class Completion {
 public:
  static constexpr std::int64_t never = INT64_MAX;  // as a deadline

  [[nodiscard]] bool done() const noexcept { return state_.load(std::memory_order_acquire) == done_value; }

  void wait() {
    if (!done()) wait_slow({Wait::task, this});
  }
  void wait(const WaitReason& reason) {
    if (!done()) wait_slow(reason);
  }

  /// \param deadline_ns on the steady clock. \return whether it is done; if not, the time was over, or the wait has
  /// ended early for another reason of `reason`, and it may be waited for again.
  bool wait_until(std::int64_t deadline_ns, const WaitReason& reason) {
    if (done()) return true;
    if (deadline_ns != never || reason.cancellable || reason.stop != nullptr)
      return wait_until_slow(deadline_ns, reason);
    wait_slow(reason);
    return true;
  }

  /// The last access to the object: the waiter may destroy it at once. If the caller is a job that the scheduler runs
  /// and this is its last action, `next` lets the worker continue with the waiter directly.
  void complete(bool next = false) noexcept {
    std::uintptr_t waiter = state_.exchange(done_value, std::memory_order_acq_rel);
    if (waiter > expired_value) wake(waiter, next);
  }

  /// Sets the watcher to notify. \return false if the event is done already; then the watcher is not notified. A
  /// watcher must exist until it has been notified or unwatch() has succeeded.
  bool watch(Watcher& watcher) noexcept {
    std::uintptr_t nobody = 0;
    return state_.compare_exchange_strong(nobody, address_of(watcher), std::memory_order_acq_rel,
                                          std::memory_order_acquire);
  }
  /// Removes the watcher. \return false if it was notified, or is about to be.
  bool unwatch(Watcher& watcher) noexcept {
    std::uintptr_t self = address_of(watcher);
    return state_.compare_exchange_strong(self, 0, std::memory_order_acq_rel, std::memory_order_acquire);
  }

  static constexpr std::uintptr_t done_value = 1;
  static constexpr std::uintptr_t expired_value = 2;
  static constexpr std::uintptr_t watcher_bit = 2;  // bit 0: a thread

 private:
  void wait_slow(const WaitReason& reason);
  bool wait_until_slow(std::int64_t deadline_ns, const WaitReason& reason);
  static void wake(std::uintptr_t waiter, bool next) noexcept;
  static std::uintptr_t address_of(Watcher& watcher) noexcept {
    return reinterpret_cast<std::uintptr_t>(&watcher) | watcher_bit;
  }
  std::atomic<std::uintptr_t> state_{0};
};

}  // namespace charm::detail
