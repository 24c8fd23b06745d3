// The slot of a worker: which of two threads has the worker, its own or the guest that has borrowed it, and whether
// that thread sleeps in it. Each of the two sleeps at a bell of its own, so that a waker rings for the thread that has
// the worker.
//
// Slot before bell: a waker changes the slot and then rings; the sleeper silences its bell and then reads the slot. So
// no wake-up is lost, and a late ring, for an earlier sleep, costs one more look. (tests/model/parking.pml)
//
// A word that names its place: the word of a parked worker also holds the group where it sleeps, so that a waker whose
// exchange succeeds has counted it as searching in the right one.
#pragma once

#include <charm/detail/assert.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>

#include "os/threads/futex.hpp"
#include "stealing/work_flags.hpp"

namespace charm::sched {

class WorkerSlot {
 public:
  enum class Is : std::uint8_t { parked, running, lent_parked, lent };
  /// A thread that may have the worker.
  enum class Who : bool { own_thread, guest };

  class State {
   public:
    constexpr explicit State(Is is) noexcept : word_(static_cast<std::uint32_t>(is)) {}
    constexpr State(Is is, stealing::Place place) noexcept
        : word_(static_cast<std::uint32_t>(is) | static_cast<std::uint32_t>(place.group) << 2U |
                static_cast<std::uint32_t>(place.slot) << 17U) {}
    [[nodiscard]] constexpr Is is() const noexcept { return static_cast<Is>(word_ & 3U); }
    [[nodiscard]] constexpr bool parked() const noexcept { return is() == Is::parked || is() == Is::lent_parked; }
    [[nodiscard]] constexpr Who who() const noexcept { return (word_ & 2U) != 0 ? Who::guest : Who::own_thread; }
    /// Where it sleeps, if it is parked.
    [[nodiscard]] constexpr int group() const noexcept { return static_cast<int>((word_ >> 2U) & 0x7fffU); }

   private:
    std::uint32_t word_;
  };

  // ---- any thread ----

  [[nodiscard]] State state(std::memory_order order = std::memory_order_seq_cst) const noexcept {
    return state_.load(order);
  }
  /// Gives the worker to the thread that sleeps in it. The caller then rings. \return false if the worker is not in
  /// that state any more.
  bool wake(State& seen) noexcept {
    CHARM_ASSERT(seen.parked(), "only a parked worker is woken");
    return state_.compare_exchange_strong(seen, awake(seen.who()), std::memory_order_seq_cst);
  }
  void ring(Who who) noexcept {
    os::FutexWord& bell = bell_of(who);
    bell.store(1, std::memory_order_seq_cst);
    os::futex_wake(bell, 1);
  }
  /// Takes the worker from its own thread, which sleeps, for the caller as the guest. \return whether that worked.
  bool borrow() noexcept {
    State expected = state_.load(std::memory_order_relaxed);
    return expected.is() == Is::parked &&
           state_.compare_exchange_strong(expected, State(Is::lent), std::memory_order_seq_cst);
  }

  // ---- the thread that has the worker ----

  [[nodiscard]] Who who() const noexcept { return state_.load(std::memory_order_relaxed).who(); }
  /// From now on the worker may be woken, or lent.
  void park(stealing::Place place) noexcept {
    const Who me = who();
    CHARM_ASSERT(!state_.load(std::memory_order_relaxed).parked(), "only a worker that is awake parks");
    state_.store(State(me == Who::guest ? Is::lent_parked : Is::parked, place), std::memory_order_seq_cst);
  }
  /// The guest leaves it to its own thread, which still sleeps.
  void give_back(stealing::Place place) noexcept {
    CHARM_ASSERT(state_.load(std::memory_order_relaxed).is() == Is::lent, "only the guest gives the worker back");
    state_.store(State(Is::parked, place), std::memory_order_seq_cst);
  }

  // ---- the thread that sleeps in it ----

  [[nodiscard]] bool woken(Who me) const noexcept {
    return state_.load(std::memory_order_acquire).is() == awake(me).is();
  }
  /// Whether it sleeps as the one who has the worker: not while that is lent, or the other is awake.
  [[nodiscard]] bool asleep(Who me) const noexcept {
    const State now = state_.load(std::memory_order_seq_cst);
    return now.parked() && now.who() == me;
  }
  /// \return false if the time was over before somebody rang.
  bool wait(Who me, std::chrono::nanoseconds limit) noexcept { return os::futex_wait(bell_of(me), 0, limit); }
  /// Comes before the next look at the slot.
  void silence(Who me) noexcept { bell_of(me).store(0, std::memory_order_seq_cst); }

 private:
  static constexpr State awake(Who who) noexcept { return State(who == Who::guest ? Is::lent : Is::running); }
  os::FutexWord& bell_of(Who who) noexcept { return who == Who::guest ? guest_bell_ : bell_; }

  std::atomic<State> state_{State(Is::running)};  // first: scripts/charm-gdb.py reads it at the address of the slot
  os::FutexWord bell_{0};
  os::FutexWord guest_bell_{0};
};

}  // namespace charm::sched
