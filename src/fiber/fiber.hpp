// A fiber: a stack and its saved context. The switch itself is in fiber/switch.hpp. This file adds the annotations for
// sanitizers, and the one rule that makes hand-overs between threads safe:
//
//   A fiber may be published as resumable only after its context is saved. So the code that publishes it does not run
//   on it before the switch, but on the fiber switched to, right after: the `after` action of switch_to.
#pragma once

#include <charm/detail/completion.hpp>
#include <charm/detail/job.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "fiber/sanitizers.hpp"
#include "fiber/stack.hpp"
#include "fiber/switch.hpp"
#include "os/threads/pause.hpp"

namespace charm::detail {
class CancelScope;
}

namespace charm::fiber {

using Entry = void (*)() noexcept;  // never returns

/// A number that its owner uses like a plain variable, and other threads may read.
class SharedInt {
 public:
  SharedInt(int value) noexcept : value_(value) {}                                  // NOLINT: converts
  operator int() const noexcept { return value_.load(std::memory_order_relaxed); }  // NOLINT: converts
  SharedInt& operator=(int value) noexcept {
    value_.store(value, std::memory_order_relaxed);
    return *this;
  }

 private:
  std::atomic<int> value_;
};

/// Information about the task on a fiber, for lists of tasks. The thread that runs it writes it and any thread may read
/// it at any time, so every field is atomic, and the fields need not be consistent with each other.
struct TaskCard {
  enum class State : std::uint8_t { idle, running, ready, waiting };
  std::uint64_t id = 0;
  std::atomic<State> state{State::idle};
  std::atomic<detail::Wait> wait{detail::Wait::nothing};
  std::atomic<const void*> object{nullptr};
  std::atomic<std::uint64_t> since{0};              // the runtime's clock
  std::atomic<detail::Job::Run> function{nullptr};  // function of the job that the scheduler started; nullptr: no task
  std::atomic<std::uint64_t> name[4] = {};          // text, ended by a 0 byte
  mutable std::atomic<int> followers{0};            // number of threads that read the mutex that the task waits for

  /// Calls `look(object)` if the task waits for a mutex, which exists meanwhile: the waiter first clears the mark that
  /// it waits, then waits for followers; a follower first counts itself, then checks whether the task waits.
  template <class F>
  void follow_mutex(F&& look) const noexcept {
    followers.fetch_add(1, std::memory_order_seq_cst);
    if (wait.load(std::memory_order_seq_cst) == detail::Wait::mutex) look(object.load(std::memory_order_relaxed));
    followers.fetch_sub(1, std::memory_order_release);
  }
  /// Called by the task when it has been woken from waiting for a mutex.
  void leave_mutex() noexcept {
    wait.store(detail::Wait::nothing, std::memory_order_seq_cst);
    while (followers.load(std::memory_order_seq_cst) != 0) os::pause();
  }

  /// While a task runs a child of its own on its stack, this describes the child.
  struct Saved {
    detail::Job::Run function;
    std::uint64_t name[4];
  };
  Saved lend(detail::Job::Run child) noexcept {
    Saved saved{function.load(std::memory_order_relaxed), {}};
    if (name[0].load(std::memory_order_relaxed) != 0) {
      for (int i = 0; i < 4; ++i) saved.name[i] = name[i].load(std::memory_order_relaxed);
      name[0].store(0, std::memory_order_relaxed);
    }
    function.store(child, std::memory_order_relaxed);
    return saved;
  }
  void take_again(const Saved& saved) noexcept {
    function.store(saved.function, std::memory_order_relaxed);
    if (name[0].load(std::memory_order_relaxed) == 0 && saved.name[0] == 0) return;
    for (int i = 0; i < 4; ++i) name[i].store(saved.name[i], std::memory_order_relaxed);
  }

  void begin(detail::Job::Run run) noexcept { function.store(run, std::memory_order_relaxed); }
  void end() noexcept {
    function.store(nullptr, std::memory_order_relaxed);
    if (name[0].load(std::memory_order_relaxed) != 0) name[0].store(0, std::memory_order_relaxed);
  }
};

/// As a job, a fiber has no function: the scheduler resumes it.
struct Fiber : detail::ListedJob {
  Fiber() noexcept : ListedJob(nullptr) {}
  void* context = nullptr;  // its saved context; meaningless while it runs
  Stack stack;              // empty for a thread's own stack
  Entry entry = nullptr;
  SharedInt bound = -1;                            // the worker that it must resume on; -1: any
  void* runtime = nullptr;                         // whose workers resume it: the process's, or an arena's
  void* team = nullptr;                            // the all_do whose body runs on it
  detail::AwaitedJob* awaited = nullptr;           // the innermost job on it that threads outside may wait for
  struct {                                         // the event that it waits for while it is suspended
    std::atomic<std::uintptr_t>* state = nullptr;  // the state of its Completion
    const detail::Listed* listed = nullptr;        // the list in which it waits
    void (*drop)(void*) noexcept = nullptr;        // called with the next where the task is dropped instead of woken
    void* dropped = nullptr;
  } waits;
  int home = 0;  // the pool that its stack belongs to
  TaskCard card;

  // While the task runs on a thread of the blocking pool (sched/wait/blocking_pool.hpp).
  struct {
    int chiplet = -1;  // the chiplet of the worker that it left
    // Limit and top of the stack that the task is on, which need not be the fiber's own.
    const std::byte* stack_limit = nullptr;
    const std::byte* stack_top = nullptr;
    std::uint64_t task = 0;  // for the recording: the task's id, and the worker that it left
    int left = -1;
    const detail::CancelScope* scope = nullptr;  // the scope of the task
  } away;

  // Sanitizers.
  void* fake_stack = nullptr;  // ASan: saved while the fiber is suspended
  const void* asan_bottom = nullptr;
  std::size_t asan_bytes = 0;
  void* tsan = nullptr;
};

using After = void (*)(Fiber* from, void* argument) noexcept;

/// A fiber that will start in `entry`. It lives at the top of its own stack. \param node as for allocate_stack.
/// \throws Error (system).
Fiber* create(std::size_t stack_bytes, Entry entry, int node = -1);

/// The fiber must be suspended; nothing on its stack is unwound.
void destroy(Fiber* fiber) noexcept;

/// Prepares the Fiber that stands for the calling thread's own stack.
void attach_thread(Fiber& native) noexcept;

/// The data that a switch passes to the other fiber; it lives on the stack that is left.
struct Handover {
  Fiber* from;
  Fiber* to;
  After after;
  void* argument;
};

/// Must be called first on the fiber that was switched to.
inline void arrive(void* message) noexcept {
  // Field by field: a copy of the whole would be loaded in wider words than it was stored in, which stalls. It is read
  // before `after` runs, which may free the old stack.
  const auto& handover = *static_cast<const Handover*>(message);
  Fiber* const from = handover.from;
  const After after = handover.after;
  void* const argument = handover.argument;
#if defined(CHARM_ASAN)
  const void* bottom = nullptr;
  std::size_t bytes = 0;
  __sanitizer_finish_switch_fiber(handover.to->fake_stack, &bottom, &bytes);
  if (from->asan_bottom == nullptr) {  // a thread's own stack: only now its bounds are known
    from->asan_bottom = bottom;
    from->asan_bytes = bytes;
  }
#endif
  if (after != nullptr) after(from, argument);
}

/// Switches from `from` (the running fiber) to `to`, where `after(from, argument)` runs first. Returns when some thread
/// switches back to `from`.
#if defined(CHARM_TSAN)
// Not instrumented: between __tsan_switch_to_fiber and the jump this frame runs under the other fiber's shadow stack,
// and an instrumented frame would push and pop on the wrong one.
CHARM_NO_TSAN __attribute__((noinline))
#else
[[gnu::always_inline]]
#endif
inline void
switch_to(Fiber& from, Fiber& to, After after, void* argument) noexcept {
  Handover handover{&from, &to, after, argument};
  void* const target = to.context;
#if defined(CHARM_ASAN)
  __sanitizer_start_switch_fiber(&from.fake_stack, to.asan_bottom, to.asan_bytes);
#endif
#if defined(CHARM_TSAN)
  __tsan_switch_to_fiber(to.tsan, 0);
#endif
  arrive(swap_context(&from.context, target, &handover));
}

/// Runs `function(argument)` on another stack on behalf of `self`, which may suspend in it. For deep recursion.
void call_on_stack(Fiber& self, const Stack& stack, void (*function)(void*) noexcept, void* argument) noexcept;

}  // namespace charm::fiber
