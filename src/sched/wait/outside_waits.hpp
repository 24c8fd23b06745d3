// The waits that no worker sees: of threads of the program, and of code in the blocking pool. Those without a time
// limit are listed here while the thread sleeps, for the report of a deadlock (sched/debug/deadlock.hpp).
//
// Listed while it sleeps: a thread lists its wait before it sleeps, and takes it out before it goes on, both under the
// mutex. So whoever holds the mutex may read a wait that is listed, and the object that it waits for exists.
#pragma once

#include <charm/detail/assert.hpp>
#include <charm/detail/completion.hpp>

#include <atomic>
#include <cstdint>
#include <mutex>

namespace charm::fiber {
struct Fiber;
}

namespace charm::sched {

class OutsideWaits {
 public:
  struct Wait {
    const detail::WaitReason& reason;
    const fiber::Fiber* const task;            // which waits in the blocking pool; null: a thread of the program waits
    const std::atomic<std::uintptr_t>& state;  // of the Completion
    int thread = 0;                            // its number in the system
    std::int64_t since_ns = 0;                 // on base::monotonic_ns()
    Wait* next = nullptr;
    Wait** link = nullptr;
    bool listed = false;  // the waiting thread's own: unlike the links, which the neighbours in the list change

    /// Whether the thread has been woken, or is about to be.
    [[nodiscard]] bool is_over() const noexcept {
      return state.load(std::memory_order_acquire) <= detail::Completion::expired_value;
    }
  };

  void add(Wait& wait) noexcept;
  /// Does nothing if it is not listed.
  void remove(Wait& wait) noexcept;

  /// Calls `function` for each wait.
  template <class F>
  void for_each(F&& function) {
    const std::lock_guard lock(mutex_);
    for (const Wait* wait = first_; wait != nullptr; wait = wait->next) function(*wait);
  }

  // fork() holds the mutex. In the child no other thread is left, and the one that forked does not wait.
  void lock() noexcept { mutex_.lock(); }
  void unlock() noexcept { mutex_.unlock(); }
  void forget() noexcept { first_ = nullptr; }

 private:
  std::mutex mutex_;
  Wait* first_ = nullptr;
};

extern constinit OutsideWaits outside_waits;

}  // namespace charm::sched
