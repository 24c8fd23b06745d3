// The C++ runtime's per-thread state of exceptions that are being handled (Itanium C++ ABI, 2.2.2). It belongs to
// the task: a task that waits inside a catch block keeps it when it resumes on another thread.
#pragma once

namespace charm::sched {

struct Handling {
  void* caught;
  unsigned int uncaught;
};

/// The state of the calling thread. Not inlined, because a fiber may have moved to another thread since the last call.
Handling& handling_of_thread() noexcept;

}  // namespace charm::sched
