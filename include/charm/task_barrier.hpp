// A barrier that tasks meet at, any number of times; only the tasks wait, not their workers.
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

/// The part that does not depend on the function.
class PhaseBarrier {
 public:
  explicit PhaseBarrier(std::ptrdiff_t expected) noexcept : expected_(expected), left_(expected) {}
  PhaseBarrier(const PhaseBarrier&) = delete;
  PhaseBarrier& operator=(const PhaseBarrier&) = delete;

  struct Arrival {
    std::uint64_t phase;
    bool last;  // who then has to call next_phase()
  };
  Arrival arrive(std::ptrdiff_t by, bool drop) noexcept;
  void next_phase() noexcept;
  /// Waits until `phase` is over. \return false where the time was over, or stop requested, first.
  bool wait(std::uint64_t phase, std::int64_t deadline, const std::stop_token* stop = nullptr);

 private:
  SpinLock lock_;
  std::ptrdiff_t expected_;  // arrivals of a phase
  std::ptrdiff_t left_;      // until the end of this one
  std::uint64_t phase_ = 0;
  WaitList waiters_;
};

struct DoNothing {
  void operator()() const noexcept {}
};

}  // namespace detail

/// As std::barrier, for tasks and for threads that are no workers: a phase ends when `expected` have arrived; then
/// `completion()` runs in the last one, and all that wait go on. Unlike charm::barrier(), which the bodies of one
/// all_do meet at, it is an object, for any set of tasks. As many tasks as are expected must be able to run or wait at
/// once; they are, unless a task arrives only after another one's end.
template <class Completion = detail::DoNothing>
class task_barrier {
  static_assert(std::is_nothrow_invocable_v<Completion&>,
                "the completion of a barrier must not throw: declare it noexcept");

 public:
  /// What arrive() returns and wait() takes: a phase.
  class arrival_token {
   public:
    /// For a later assignment.
    arrival_token() = default;

   private:
    friend class task_barrier;
    explicit arrival_token(std::uint64_t phase) noexcept : phase_(phase) {}
    std::uint64_t phase_ = 0;
  };

  /// \param expected arrivals that end a phase; at least 1. \param completion is called at the end of each, by the last
  /// to arrive; what the others wrote before they arrived it can read.
  explicit task_barrier(std::ptrdiff_t expected, Completion completion = Completion())
      : phases_(expected), completion_(std::move(completion)) {}

  /// Arrives without waiting. \param by how many arrivals this counts for. \return the phase, for wait().
  [[nodiscard]] arrival_token arrive(std::ptrdiff_t by = 1) { return arrival_token(come(by, false).phase); }
  /// Waits until that phase is over. \param token from this phase or the one before.
  void wait(arrival_token token) { phases_.wait(token.phase_, detail::Completion::never); }
  /// Waits until stop is requested at most. \return whether the phase is over; otherwise it may be waited for again.
  bool wait(arrival_token token, const std::stop_token& stop) {
    return phases_.wait(token.phase_, detail::Completion::never, &stop);
  }
  /// \return whether the phase was over before the time was; otherwise wait again.
  template <class Rep, class Period>
  bool wait_for(arrival_token token, const std::chrono::duration<Rep, Period>& duration) {
    return phases_.wait(token.phase_, detail::deadline_after(duration));
  }
  /// Arrives and waits until all have.
  void arrive_and_wait() {
    const detail::PhaseBarrier::Arrival arrival = come(1, false);
    if (!arrival.last) phases_.wait(arrival.phase, detail::Completion::never);  // else the others may have gone on
  }
  /// Arrives, and is expected no more in the phases after this one.
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
