// Which threads may touch the runtime, and until when: the gate between threads outside and finalize().
//
// Workers and the threads of the blocking pool belong to the runtime and may always touch it. Any other thread does so
// only while it holds a Visit, for the few instructions of one call; it neither waits nor runs the program's code in
// it.
//
//  L1  A visitor counts itself in Runtime::visits and then reads Runtime::current; finalize() takes the runtime out of
//      `current` and then reads the count. All four are sequentially consistent. So a visitor either finds nothing, and
//      the caller gets not_running, or finalize() sees it and waits for it, and finds the job that it has posted.
//  L2  Waking a suspended task needs no gate, since a task may wait for a thread outside until the very end. But the
//      waker counts itself in `visits` before it changes the state of the task, and stays counted until the task is in
//      a queue. So a thread that sees that a task was woken, and then waits for `visits` to be 0, finds it in a queue.
//  L3  The thread that called init() may be worker 0's guest for as long as it waits. finalize() by another thread
//      sends it back when nothing is left to do (Runtime::send_guest_back), and ends after it has left.
#pragma once

#include <atomic>
#include <new>

namespace charm::sched {

class Runtime;

class Visit {
 public:
  /// \throws Error (not_running).
  Visit();
  /// A visit that is empty if no runtime runs.
  explicit Visit(std::nothrow_t) noexcept;
  /// A visit for reports, which is possible also while the runtime ends, until its tasks are dropped.
  static Visit until_the_end() noexcept;
  ~Visit();
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

  explicit operator bool() const noexcept { return runtime_ != nullptr; }
  Runtime* operator->() const noexcept { return runtime_; }
  Runtime& operator*() const noexcept { return *runtime_; }

 private:
  explicit Visit(const std::atomic<Runtime*>& whom) noexcept;
  Runtime* runtime_;
  bool counted_ = false;
};

/// The runtime of the calling thread, if that is a worker or a thread of the blocking pool; nullptr in other threads.
Runtime* runtime_of_this_thread() noexcept;

}  // namespace charm::sched
