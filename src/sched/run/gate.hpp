// The gate between threads outside and finalize(): who may use the runtime now. A process has one. Threads outside pass
// it by a Visit (sched/run/visit.hpp).
//
// Count, then look: a visitor counts itself and then reads which runtime there is; finalize() takes the runtime out and
// then reads the count. All four are sequentially consistent. So a visitor either finds nothing, and the caller gets
// not_running, or finalize() sees it and waits for it, and finds the job that it has posted.
//
// Counted until queued: waking a suspended task needs no gate, since a task may wait for a thread outside until the
// very end. But the waker counts itself before it changes the state of the task, and stays counted until the task is in
// a queue. So a thread that sees that a task was woken, and then waits until nobody is inside, finds it in a queue.
#pragma once

#include <charm/detail/assert.hpp>

#include <atomic>
#include <thread>

namespace charm::sched {

class Runtime;

class Gate {
 public:
  // ---- visitors ----

  /// What a visitor wants of the runtime: to use it, which is possible until finalize() begins, or only to report on
  /// it, until its tasks are dropped.
  enum class Purpose : bool { use, report };

  /// \return the runtime, which stays until leave(); null, and the caller is not inside, if there is none.
  Runtime* enter(Purpose purpose) noexcept {
    const std::atomic<Runtime*>& whom = purpose == Purpose::use ? running_ : existing_;
    // Checked before it counts itself, so that threads which try again and again do not delay finalize().
    if (whom.load(std::memory_order_relaxed) == nullptr) return nullptr;
    enter_unasked();
    Runtime* runtime = whom.load(std::memory_order_seq_cst);
    if (runtime == nullptr) leave();
    return runtime;
  }
  /// For a caller that knows by other means that a runtime exists, or looks for one itself afterwards.
  void enter_unasked() noexcept { inside_.fetch_add(1, std::memory_order_seq_cst); }
  void leave() noexcept {
    [[maybe_unused]] const int before = inside_.fetch_sub(1, std::memory_order_release);
    CHARM_ASSERT(before > 0, "only a thread that has entered leaves");
  }

  // ---- whoever starts and ends the runtime ----

  /// It exists, but nobody may use it yet.
  void announce(Runtime& runtime) noexcept {
    CHARM_ASSERT(existing_.load(std::memory_order_relaxed) == nullptr, "one runtime exists at a time");
    existing_.store(&runtime, std::memory_order_release);
  }
  void open(Runtime& runtime) noexcept {
    CHARM_ASSERT(existing_.load(std::memory_order_relaxed) == &runtime, "a runtime is announced before it is opened");
    running_.store(&runtime, std::memory_order_seq_cst);
  }
  /// Nobody comes in any more, except for reports. \return the runtime that was open.
  Runtime* close() noexcept { return running_.exchange(nullptr, std::memory_order_seq_cst); }
  /// Nor for reports; waits for those inside.
  void withdraw() noexcept {
    CHARM_ASSERT(running_.load(std::memory_order_relaxed) == nullptr, "the gate is closed before the runtime goes");
    existing_.store(nullptr, std::memory_order_seq_cst);
    while (anybody_inside()) std::this_thread::yield();
  }
  /// In the child of a fork(), which has no other threads. \return the parent's runtime if it was open.
  Runtime* forget() noexcept {
    Runtime* parents = running_.exchange(nullptr, std::memory_order_acq_rel);
    existing_.store(nullptr, std::memory_order_release);
    inside_.store(0, std::memory_order_release);
    return parents;
  }

  // ---- any thread ----

  [[nodiscard]] bool anybody_inside(std::memory_order order = std::memory_order_seq_cst) const noexcept {
    return inside_.load(order) != 0;
  }
  /// Whether a runtime runs that threads outside may use. The pointer is safe to follow for a visitor, and for a thread
  /// that knows that the runtime will not end meanwhile.
  [[nodiscard]] Runtime* running() const noexcept { return running_.load(std::memory_order_acquire); }
  /// The same until the end of finalize().
  [[nodiscard]] Runtime* existing() const noexcept { return existing_.load(std::memory_order_acquire); }

 private:
  std::atomic<Runtime*> existing_{nullptr};  // first: scripts/charm-gdb.py reads it at the address of the gate
  std::atomic<Runtime*> running_{nullptr};
  std::atomic<int> inside_{0};
};

}  // namespace charm::sched
