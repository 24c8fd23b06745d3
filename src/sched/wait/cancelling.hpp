// Waits that end when the task group or loop of their task is cancelled: tasks that wait within a group or loop are
// listed, so that cancel() finds them. Each worker has a list, so that tasks that begin to wait do not contend for one.
//
// - Listed from before to after: A wait is in a list from before its task is suspended until after it goes on, and is
//   touched by others under the list's lock alone. So a thread that holds the lock may follow its scope, which lives at
//   least as long as the task waits, and all outer ones.
// - List, then ask: A task that begins to wait lists itself, then asks whether it was cancelled; a thread that cancels
//   raises the counter of cancellations, then reads the lists (mark, then ask: charm/detail/cancel_scope.hpp). So no
//   wait is overlooked.
// - Cancelled like a time limit: Ending a wait puts `expired_value` into its Completion, as a time limit does
//   (charm/detail/completion.hpp): exactly one of the two, a stop token and complete() wakes the task.
#pragma once

#include <charm/detail/cancel_scope.hpp>
#include <charm/detail/wait_list.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sched/run/worker.hpp"

namespace charm::sched {

/// A wait that can be cancelled; on the stack of the task that waits.
struct CancellableWait {
  const detail::CancelScope* scope = nullptr;
  std::atomic<std::uintptr_t>* state = nullptr;  // the state of the Completion
  CancellableWait* next = nullptr;
  CancellableWait* previous = nullptr;
  std::size_t list = 0;
};

class CancellableWaits {
 public:
  explicit CancellableWaits(std::size_t workers);
  void add(CancellableWait& wait, const Worker& worker) noexcept;
  /// Removes a wait; on any worker.
  void remove(CancellableWait& wait) noexcept;
  /// Ends the waits that were cancelled. The caller must know that the runtime exists meanwhile.
  void end_cancelled() noexcept;

 private:
  struct alignas(64) List {
    detail::SpinLock lock;
    std::atomic<CancellableWait*> first{nullptr};
  };
  std::vector<std::unique_ptr<List>> lists_;  // by worker
};

}  // namespace charm::sched
