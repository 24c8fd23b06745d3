// The part of a worker that inlined code uses: its deque, how much stack is left, its pool of job memory.
#pragma once

#include <charm/detail/deque.hpp>
#include <charm/detail/job_pool.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace charm::detail {

class CancelScope;

/// The largest count of workers that the process may have at a time, those of arenas included; their numbers are below
/// it.
inline constexpr int worker_numbers = 131'056;

struct WorkerBase {
  Deque deque;
  alignas(64) const std::byte* stack_limit = nullptr;  // below it a deep recursion continues on another stack
  const std::byte* stack_top = nullptr;                // top of the stack that the worker is on
  const CancelScope* scope = nullptr;                  // the scope of the running task; see cancel_scope.hpp
  int id = -1;
  int until_boundary = 1;  // jobs until the scheduler looks at the clock
  double user_work = 0;    // charm::add_work
  int number = -1;         // as id, but unique among the workers that the process has, those of arenas included
  JobPool pool;
};

extern constinit thread_local WorkerBase* worker_of_thread __attribute__((tls_model("initial-exec")));

/// The calling thread's worker, or nullptr. It is read again at every call: a task may have moved to another thread
/// since, and a compiler that kept the address of the thread-local variable would read the old thread's.
inline WorkerBase* this_worker() noexcept {
  WorkerBase* worker;
#if defined(__x86_64__) && !defined(__ILP32__)
  asm volatile("movq _ZN5charm6detail16worker_of_threadE@gottpoff(%%rip), %0\n\tmovq %%fs:(%0), %0" : "=&r"(worker));
#elif defined(__aarch64__)
  void* thread;
  asm volatile(
      "mrs %1, tpidr_el0\n\t"
      "adrp %0, :gottprel:_ZN5charm6detail16worker_of_threadE\n\t"
      "ldr %0, [%0, #:gottprel_lo12:_ZN5charm6detail16worker_of_threadE]\n\t"
      "ldr %0, [%1, %0]"
      : "=&r"(worker), "=&r"(thread));
#else
#error "CHARM runs on x86-64 and arm64"
#endif
  return worker;
}

/// Whether `object` lives in a frame of the stack that the caller runs on, including the caller's own frame. (A
/// comparison with the frame's address would miss that one if the caller is inlined into the function that holds the
/// object.)
inline bool on_this_stack(const WorkerBase* worker, const void* object) noexcept {
  auto* address = static_cast<const std::byte*>(object);
  const std::byte* limit = worker->stack_limit;  // a quarter of the stack lies below it
  return address < worker->stack_top && address >= limit - (worker->stack_top - limit) / 3;
}

/// An address close above the current frame.
inline const std::byte* stack_here() noexcept { return static_cast<const std::byte*>(__builtin_frame_address(0)); }

}  // namespace charm::detail
