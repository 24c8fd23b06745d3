// The part of a worker that inlined code touches: its deque, how much stack is left, its pool of job memory.
#pragma once

#include <charm/detail/deque.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

namespace charm::detail {

/// Memory for jobs that outlive the call that makes them: free lists of three sizes. Any thread may free what any
/// thread allocated, since every block comes from operator new; a list that is full gives back to it.
class JobPool {
 public:
  static constexpr std::size_t largest = 256;
  static constexpr std::uint32_t most = 4096;  // blocks kept of a size
  JobPool() = default;
  JobPool(const JobPool&) = delete;
  JobPool& operator=(const JobPool&) = delete;
  ~JobPool() {
    for (List& list : lists_) {
      while (list.head != nullptr) {
        void* block = list.head;
        list.head = list.head->next;
        ::operator delete(block);
      }
    }
  }

  void* take(std::size_t bytes) {
    if (bytes > largest) return ::operator new(bytes);
    List& list = lists_[index(bytes)];
    if (list.head == nullptr) [[unlikely]]
      return ::operator new(rounded(bytes));
    void* block = list.head;
    list.head = list.head->next;
    --list.length;
    return block;
  }
  void give(void* block, std::size_t bytes) noexcept {
    if (bytes > largest) return ::operator delete(block);
    List& list = lists_[index(bytes)];
    if (list.length == most) [[unlikely]]
      return ::operator delete(block);
    list.head = new (block) Free{list.head};
    ++list.length;
  }

  /// For threads that are not workers.
  static void* take_outside(std::size_t bytes) { return ::operator new(bytes > largest ? bytes : rounded(bytes)); }

 private:
  struct Free {
    Free* next;
  };
  struct List {
    Free* head = nullptr;
    std::uint32_t length = 0;
  };
  static constexpr std::size_t index(std::size_t bytes) noexcept { return bytes <= 64 ? 0 : bytes <= 128 ? 1 : 2; }
  static constexpr std::size_t rounded(std::size_t bytes) noexcept { return std::size_t{64} << index(bytes); }
  List lists_[3];
};

class CancelScope;

struct WorkerCore {
  Deque deque;
  alignas(64) const std::byte* stack_limit = nullptr;  // below it a deep recursion goes on on another stack
  const std::byte* stack_top = nullptr;                // of the stack that the worker is on
  const CancelScope* scope = nullptr;                  // what the running task belongs to; see cancel_scope.hpp
  int id = -1;
  int until_boundary = 1;  // jobs until the scheduler looks at the clock
  double user_work = 0;    // charm::add_work
  JobPool pool;
};

extern constinit thread_local WorkerCore* worker_of_thread __attribute__((tls_model("initial-exec")));

/// The worker that the calling thread is, or nullptr. Read anew at every call: a task may have moved to another thread
/// since, and a compiler that kept the address of the thread's variable would find the old thread's.
inline WorkerCore* this_worker() noexcept {
  WorkerCore* worker;
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

/// Whether `object` lives in a frame of the stack that the caller runs on, the caller's own included (which a
/// comparison with the frame's address would miss once the caller is inlined into the function that holds the object).
inline bool on_this_stack(const WorkerCore* worker, const void* object) noexcept {
  auto* address = static_cast<const std::byte*>(object);
  const std::byte* limit = worker->stack_limit;  // a quarter of the stack lies below it
  return address < worker->stack_top && address >= limit - (worker->stack_top - limit) / 3;
}

/// The address below which the current frame lies, near enough.
inline const std::byte* stack_here() noexcept { return static_cast<const std::byte*>(__builtin_frame_address(0)); }

void* take_job_memory(std::size_t bytes);
void give_job_memory(void* block, std::size_t bytes) noexcept;

}  // namespace charm::detail
