// Which threads may touch the runtime, and until when: the gate between threads outside and finalize().
//
// Workers and the threads of the blocking pool belong to the runtime and may always touch it. Any other thread does so
// only while it holds a Visit, for the few instructions of one call; it neither waits nor runs the program's code in
// it.
//
// The rules of the gate are in sched/run/gate.hpp. The thread that called init() may be worker 0's guest for as long as
// it waits; finalize() by another thread sends it back when nothing is left to do (Runtime::send_guest_back), and ends
// after it has left.
#pragma once

#include <new>

#include "sched/run/gate.hpp"

namespace charm::sched {

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
  explicit Visit(Gate::Purpose purpose) noexcept;
  Runtime* runtime_;
  bool counted_ = false;
};

/// The runtime of the calling thread, if that is a worker or a thread of the blocking pool; nullptr in other threads.
Runtime* runtime_of_this_thread() noexcept;

}  // namespace charm::sched
