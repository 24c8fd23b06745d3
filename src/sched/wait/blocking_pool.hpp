// The blocking pool: threads for charm::blocking. Each runs one task that may block in the kernel, while the task's
// worker runs others. A thread is made when it is needed, at most `blocking_threads`, kept for the next task, and ended
// with the runtime.
//
// Its threads are bound to no worker's core, and have the timer slack and memory policy of the program: what the code
// in them begins, threads and programs, is to find the machine as the program does. A program that is begun by
// posix_spawn(3), and so by system(3) and popen(3), tells nobody of its begin: only its parent's values can be right.
//
// A task gets here as a suspended fiber: it leaves its worker as in any wait, and the action that runs after the switch
// hands it to the pool. A thread of the pool switches to it, so the task runs on its own stack in a thread that is no
// worker. At the end it switches back to the pool thread's own stack, where the action makes it ready again. So a
// worker always keeps its thread, also if that thread is the one that called init(), whose stack no other thread may
// run.
//
// Code in the pool may itself wait for something of the runtime. If that wait has no time limit, and nothing is left
// that could end it, the task is dropped at finalize() like any task that waits (tests/model/ending.pml):
//
// - Endless waits are listed: Such a wait is listed, under the mutex, before its state names its waiter, and until the
//   waiter continues. It is *in vain* as long as its state names the waiter: a thread that ends the wait changes the
//   state first.
// - All in vain at once: The runtime may end if all tasks in the pool wait in vain at the same time. The check reads
//   the number of waits that ever began before and after it looks at the rest (sched/run/termination.cpp): if no wait
//   has begun in between, the waits that are in vain both times were so all the time.
// - Rung at the end: When the runtime has ended, the pool's end rings the waiters. Each takes its address out of the
//   state itself, and itself out of the lists that it is in, and then leaves its task for good, suspended. If a thread
//   outside has ended the wait just then, the code runs on until it waits again or returns, and its task is dropped
//   there.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "fiber/fiber.hpp"
#include "os/threads/futex.hpp"
#include "sched/run/ready_queue.hpp"

namespace charm::sched {

class Runtime;

class BlockingPool {
 public:
  BlockingPool(Runtime& runtime, std::size_t most) : runtime_(runtime), most_(most) {}
  /// All tasks must have returned to the workers, or wait in vain; those are left suspended.
  ~BlockingPool();
  BlockingPool(const BlockingPool&) = delete;
  BlockingPool& operator=(const BlockingPool&) = delete;

  /// Ensures that a thread will take one more task; false if none exists and none can be made.
  bool reserve();
  /// Hands a suspended fiber to the pool.
  void run(fiber::Fiber* fiber) noexcept;
  /// Number of tasks that were handed over and do not yet run on a worker again.
  [[nodiscard]] int out() const noexcept { return out_.load(std::memory_order_seq_cst); }
  void begin() noexcept { out_.fetch_add(1, std::memory_order_seq_cst); }
  void end() noexcept { out_.fetch_sub(1, std::memory_order_seq_cst); }
  [[nodiscard]] std::size_t threads() const;
  /// Number of the pool's threads that wait for something of the runtime.
  [[nodiscard]] int in_library() const noexcept { return in_library_.load(std::memory_order_seq_cst); }
  /// Called before and after a wait of a pool thread for something of the runtime. That thread blocks nothing
  /// meanwhile, and what it waits for may need a thread of the pool: another may be made in its place.
  void begin_wait() noexcept;
  void end_wait() noexcept;

  /// A wait without a time limit (endless waits are listed). The waiter sleeps on `bell`: 0; `rung` when the wait is
  /// over, `ended` when the runtime is.
  struct EndlessWait {
    static constexpr std::uint32_t rung = 1, ended = 2;
    const std::atomic<std::uintptr_t>& state;
    const std::uintptr_t waiter;
    os::FutexWord& bell;
    EndlessWait* next = nullptr;
    EndlessWait** link = nullptr;
  };
  /// \return false if the runtime has ended.
  bool list(EndlessWait& wait) noexcept;
  void unlist(EndlessWait& wait) noexcept;
  /// Whether code of the pool may still go on, or wake something; else all tasks that are out wait in vain (all in vain
  /// at once).
  /// \param begun the number of waits that have begun so far is added to it.
  [[nodiscard]] bool may_go_on(std::uint64_t& begun) const noexcept;

 private:
  /// Whether a thread may be made for the tasks promised to, and is wanted. Under the mutex.
  [[nodiscard]] bool wants_thread() const noexcept {
    return promised_ > idle_ && threads_.size() < most_ + static_cast<std::size_t>(in_library());
  }
  bool make_thread() noexcept;
  void main(std::size_t number);

  Runtime& runtime_;
  const std::size_t most_;
  mutable std::mutex mutex_;
  std::condition_variable come_;
  std::vector<std::thread> threads_;
  std::size_t promised_ = 0;  // tasks reserved for and not yet taken
  std::size_t idle_ = 0;
  ListedJob* first_ = nullptr;  // tasks that wait for a thread, linked by next
  ListedJob* last_ = nullptr;
  bool ending_ = false;
  EndlessWait* endless_ = nullptr;
  std::uint64_t endless_begun_ = 0;
  std::atomic<int> out_{0};
  std::atomic<int> in_library_{0};
};

/// Exists while the calling thread waits for something of the runtime; has no effect in threads that are not the
/// pool's.
class BlockingThreadWait {
 public:
  BlockingThreadWait() noexcept;
  ~BlockingThreadWait();
  BlockingThreadWait(const BlockingThreadWait&) = delete;
  BlockingThreadWait& operator=(const BlockingThreadWait&) = delete;
  explicit operator bool() const noexcept { return pool_ != nullptr; }
  BlockingPool* operator->() const noexcept { return pool_; }

 private:
  BlockingPool* pool_;
};

/// The fiber that runs on the calling thread, if that is a worker or a thread of the pool; nullptr in other threads.
fiber::Fiber* running_fiber() noexcept;

/// Called by a thread of the pool after the end of the runtime, when nothing can end the wait of its task any more:
/// leaves the task suspended, to be dropped.
[[noreturn]] void abandon_blocking_task() noexcept;

/// Called in the child of fork(), where the calling thread does not belong to the pool any more.
void forget_blocking_thread() noexcept;

/// The calling thread's number in the pool; -1 in other threads.
int blocking_thread_number() noexcept;

}  // namespace charm::sched
