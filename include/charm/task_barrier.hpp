// A barrier for tasks, which can be used any number of times; a wait suspends only the task, not its worker.
#pragma once

#include <charm/detail/wait_list.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <type_traits>
#include <utility>

namespace charm {
namespace detail {

/// The part of task_barrier that does not depend on the completion function.
class PhaseBarrier {
 public:
  explicit PhaseBarrier(std::ptrdiff_t expected) noexcept : expected_(expected), left_(expected) {}
  PhaseBarrier(const PhaseBarrier&) = delete;
  PhaseBarrier& operator=(const PhaseBarrier&) = delete;

  struct Arrival {
    std::uint64_t phase;
    bool last;  // whether it was the last arrival, which has to call next_phase()
  };
  Arrival arrive(std::ptrdiff_t by, bool drop) noexcept;
  void next_phase() noexcept;
  /// Waits until `phase` is over. \return false if the time was over, or stop was requested, first.
  bool wait(std::uint64_t phase, std::int64_t deadline, const std::stop_token* stop = nullptr);

 private:
  SpinLock lock_;
  std::ptrdiff_t expected_;  // arrivals of a phase
  std::ptrdiff_t left_;      // arrivals until the end of this phase
  std::uint64_t phase_ = 0;
  WaitList waiters_;
};

struct DoNothing {
  void operator()() const noexcept {}
};

}  // namespace detail

/// As std::barrier, for tasks, and for threads that are not workers: a phase ends when `expected` of them have arrived;
/// then `completion()` runs in the last one, and all that wait go on. It is an object, for any set of tasks, unlike
/// charm::barrier(), which is for the bodies of one all_do. Any number of tasks can wait at the same time, since a
/// waiting task occupies no worker.
template <class Completion = detail::DoNothing>
class task_barrier {
  static_assert(std::is_nothrow_invocable_v<Completion&>,
                "the completion of a barrier must not throw: declare it noexcept");

 public:
  /// A phase, as arrive() returns it and wait() takes it.
  class arrival_token {
   public:
    /// A token to be assigned later.
    arrival_token() = default;

   private:
    friend class task_barrier;
    explicit arrival_token(std::uint64_t phase) noexcept : phase_(phase) {}
    std::uint64_t phase_ = 0;
  };

  /// \param expected number of arrivals that end a phase; at least 1. \param completion is called at the end of each
  /// phase, by the last to arrive; it can read everything that the others wrote before they arrived.
  explicit task_barrier(std::ptrdiff_t expected, Completion completion = Completion())
      : phases_(expected), completion_(std::move(completion)) {}

  /// Arrives without waiting. \param by the number of arrivals that this counts for. \return the phase, for wait().
  [[nodiscard]] arrival_token arrive(std::ptrdiff_t by = 1) { return arrival_token(come(by, false).phase); }
  /// Waits until that phase is over. \param token from this phase or the one before.
  void wait(arrival_token token) { phases_.wait(token.phase_, detail::Completion::never); }
  /// As wait(), but the wait ends when stop is requested. \return whether the phase is over; if not, wait again.
  bool wait(arrival_token token, const std::stop_token& stop) {
    return phases_.wait(token.phase_, detail::Completion::never, &stop);
  }
  /// As wait(), but waits no longer than `duration`. \return whether the phase was over in time; if not, wait again.
  template <class Rep, class Period>
  bool wait_for(arrival_token token, const std::chrono::duration<Rep, Period>& duration) {
    return phases_.wait(token.phase_, detail::deadline_after(duration));
  }
  /// Arrives and waits until the phase is over. This and the other waits \throws Error (cancelled) if the task group or
  /// loop that the task belongs to is cancelled meanwhile.
  void arrive_and_wait() {
    const detail::PhaseBarrier::Arrival arrival = come(1, false);
    if (!arrival.last) phases_.wait(arrival.phase, detail::Completion::never);  // else the others may have gone on
  }
  /// Arrives, and lowers the number of arrivals that are expected in the phases after this one by one.
  void arrive_and_drop() { come(1, true); }

 private:
  detail::PhaseBarrier::Arrival come(std::ptrdiff_t by, bool drop) {
    const detail::PhaseBarrier::Arrival arrival = phases_.arrive(by, drop);
    if (arrival.last) {
      completion_();
      phases_.next_phase();
    }
    return arrival;
  }

  detail::PhaseBarrier phases_;
  [[no_unique_address]] Completion completion_;
};

}  // namespace charm
