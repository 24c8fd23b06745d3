// The loan of worker 0: while the thread that called init() waits in the runtime, it runs worker 0 as its guest
// (sched/run/worker.hpp). This is what the two threads know of each other; the worker's `slot` says who has it.
//
// Search after a loan: worker 0's own thread sleeps while the worker is lent, and meanwhile nobody searches on its
// behalf. If some worker is busy at the end of a loan, the own thread is to search soon: its sleep gets a limit. If the
// worker is lent again when that time is over, the search is overdue: the end of that loan hands the worker to its own
// thread, and it is not lent again before that search. Only the end of a loan asks for a search, and only the own
// thread makes it overdue, so a search that is asked for is not forgotten. (tests/model/loan.pml)
#pragma once

#include <charm/detail/assert.hpp>

#include <atomic>
#include <cstdint>
#include <thread>

#include "fiber/fiber.hpp"

namespace charm::sched {

class alignas(64) Loan {
 public:
  /// What the end of a loan has to do about the worker's own thread: nothing, end its sleep so that it looks at its
  /// limits again, or hand the worker to it.
  enum class Then : std::uint8_t { nothing, ring, wake };

  /// Whether the calling thread is the one that called init(): no other borrows.
  [[nodiscard]] bool is_home_thread() const noexcept { return home_ == std::this_thread::get_id(); }

  // ---- the thread that called init(), during a visit ----

  /// It has the worker. finalize() sees it, since it sees the visit.
  void begin() noexcept {
    CHARM_ASSERT(is_home_thread(), "only the thread that called init borrows worker 0");
    CHARM_ASSERT(!lent_.load(std::memory_order_relaxed), "worker 0 is lent once at a time");
    lent_.store(true, std::memory_order_relaxed);
  }
  /// It has given the worker back, and does not touch the runtime any more.
  void end() noexcept {
    CHARM_ASSERT(lent_.load(std::memory_order_relaxed), "only a loan that has begun ends");
    CHARM_ASSERT(!guest_waits(), "the guest's stack is hidden before its loan ends");
    lent_.store(false, std::memory_order_release);
  }
  /// From now on others may look at the guest's stack, until hide_guest() returns.
  void show_guest(fiber::Fiber& guest) noexcept {
    CHARM_ASSERT(lent_.load(std::memory_order_relaxed), "a guest has borrowed the worker");
    CHARM_ASSERT(!guest_waits(), "there is one guest at a time");
    guest_.store(&guest, std::memory_order_release);
  }
  void hide_guest() noexcept {
    CHARM_ASSERT(guest_waits(), "a guest that is hidden was shown");
    guest_.store(nullptr, std::memory_order_seq_cst);                                 // before it looks at the readers
    while (readers_.load(std::memory_order_seq_cst) != 0) std::this_thread::yield();  // they are about to go
  }
  /// Called at the end of a loan that leaves no job behind, after the slot was stored. \param anybody_busy asked only
  /// if the answer matters.
  template <class F>
  [[nodiscard]] Then after(F&& anybody_busy) noexcept {
    if (search_.load(std::memory_order_seq_cst) == Search::overdue) {
      search_.store(Search::none, std::memory_order_seq_cst);
      return anybody_busy() ? Then::wake : Then::nothing;
    }
    Search none = Search::none;
    return anybody_busy() && search_.compare_exchange_strong(none, Search::soon) ? Then::ring : Then::nothing;
  }

  // ---- worker 0's own thread ----

  /// Whether it is to search soon, although the worker may be lent again by now.
  [[nodiscard]] bool search_is_due() const noexcept { return search_.load(std::memory_order_seq_cst) == Search::soon; }
  /// The time until that search is over. The caller tries to take the worker after this: if the worker is lent at this
  /// moment, the end of the loan reads this after it has stored the slot.
  void search_is_overdue() noexcept {
    CHARM_ASSERT(search_is_due(), "only a search that was asked for becomes overdue, by the own thread alone");
    search_.store(Search::overdue, std::memory_order_seq_cst);
  }
  /// It has the worker, and is about to search.
  void searches() noexcept { search_.store(Search::none, std::memory_order_seq_cst); }

  // ---- any thread ----

  /// Whether the thread that called init() waits in the runtime as worker 0's guest.
  [[nodiscard]] bool guest_waits() const noexcept { return guest_.load(std::memory_order_seq_cst) != nullptr; }
  /// Calls `function` for the guest's stack if there is one; it stays meanwhile.
  template <class F>
  void with_guest(F&& function) {
    readers_.fetch_add(1, std::memory_order_seq_cst);
    if (fiber::Fiber* guest = guest_.load(std::memory_order_seq_cst)) function(*guest);
    readers_.fetch_sub(1, std::memory_order_release);
  }
  /// For the worker whose guest it is.
  [[nodiscard]] fiber::Fiber& guest() const noexcept {
    fiber::Fiber* guest = guest_.load(std::memory_order_seq_cst);
    CHARM_ASSERT(guest != nullptr, "a worker that is lent has a guest");
    return *guest;
  }
  /// finalize(): nobody borrows any more; waits for a guest that is about to go.
  void wait_for_end() const noexcept {
    while (lent_.load(std::memory_order_acquire)) std::this_thread::yield();
  }

 private:
  /// Whether the own thread has to search for work although the worker has been lent repeatedly since.
  enum class Search : std::uint8_t { none, soon, overdue };
  std::atomic<fiber::Fiber*> guest_{nullptr};  // its stack, while it waits
  std::atomic<int> readers_{0};                // of that stack
  std::atomic<bool> lent_{false};
  std::atomic<Search> search_{Search::none};
  const std::thread::id home_ = std::this_thread::get_id();
};

}  // namespace charm::sched
