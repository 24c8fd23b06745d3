#include "sched/wait/cancelling.hpp"

#include <charm/detail/wait_list.hpp>
#include <charm/error.hpp>

#include <exception>
#include <mutex>

#include "sched/run/arenas.hpp"
#include "sched/run/runtime.hpp"
#include "sched/run/visit.hpp"

namespace charm::sched {

CancellableWaits::CancellableWaits(std::size_t workers) {
  for (std::size_t w = 0; w < workers; ++w) lists_.push_back(std::make_unique<List>());
}

void CancellableWaits::add(CancellableWait& wait, const Worker& worker) noexcept {
  wait.list = static_cast<std::size_t>(worker.id);
  List& list = *lists_[wait.list];
  std::lock_guard lock(list.lock);
  wait.previous = nullptr;
  wait.next = list.first.load(std::memory_order_relaxed);
  if (wait.next != nullptr) wait.next->previous = &wait;
  list.first.store(&wait, std::memory_order_seq_cst);
}

void CancellableWaits::remove(CancellableWait& wait) noexcept {
  List& list = *lists_[wait.list];
  std::lock_guard lock(list.lock);
  if (wait.next != nullptr) wait.next->previous = wait.previous;
  if (wait.previous != nullptr)
    wait.previous->next = wait.next;
  else
    list.first.store(wait.next, std::memory_order_relaxed);
}

void CancellableWaits::end_cancelled() noexcept {
  for (auto& list : lists_) {
    if (list->first.load(std::memory_order_seq_cst) == nullptr) continue;
    ListedJob* ended = nullptr;
    {
      std::lock_guard lock(list->lock);
      for (CancellableWait* wait = list->first.load(std::memory_order_relaxed); wait != nullptr; wait = wait->next) {
        if (!wait->scope->cancelled()) continue;
        if (fiber::Fiber* fiber = expire(*wait->state)) {
          fiber->next = ended;
          ended = fiber;
        }
      }
    }
    while (ended != nullptr) {
      auto* fiber = static_cast<fiber::Fiber*>(ended);
      ended = fiber->next;
      make_ready(fiber, false);
    }
  }
}

}  // namespace charm::sched

namespace charm::detail {

void end_cancelled_waits() noexcept {
  const sched::Visit runtime = sched::Visit::until_the_end();
  if (runtime) sched::for_family(*runtime, [](sched::Runtime& each) { each.waits.cancellable.end_cancelled(); });
}

void check_ended_wait() {
  if (!charm::is_cancelled() || std::uncaught_exceptions() > 0) return;
  throw Error(Errc::cancelled, "a wait was ended because the group or loop that the task belongs to was cancelled",
              "let this exception leave the task");
}

}  // namespace charm::detail
