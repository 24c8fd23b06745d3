// Reports a task whose stack was too small: a fault in the guard page below the stack that the thread runs on
// prints which task, how deep, and the remedy, and then ends the process as the fault would have. Any other fault goes
// to the previous handler of SIGSEGV. Not installed under sanitizers, which have reports of their own.
#pragma once

#include <cstddef>

#include "fiber/fiber.hpp"

namespace charm::sched {

/// The stack of the signal handler, since the thread's own is used up: an alternate signal stack for the thread that
/// makes it, unless the thread has one. Made and destroyed on the same thread.
class SignalStack {
 public:
  SignalStack() noexcept;
  ~SignalStack();
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Installs the handler for the whole process, from init() to finalize().
void install_overflow_report() noexcept;
void remove_overflow_report() noexcept;

/// Notes the fiber that a thread of the blocking pool runs; nullptr: none. (Those of workers are known.)
void watch_stack(const fiber::Fiber* fiber) noexcept;

}  // namespace charm::sched
