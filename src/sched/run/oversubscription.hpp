// Oversubscription: the workers do not have their cores to themselves. Spinning then takes time from the threads
// that are waited for, so loops that wait yield the cpu at once, and workers park sooner.
//
// Oversubscription that lasts is known at the start: more workers than cpus, or a cgroup quota below the number of
// workers. It is reported. The load of other programs comes and goes. It is noticed at the start, or by a searching
// worker that finds gaps of more than a millisecond in its own time, in which it was not running. This state ends some
// seconds later unless it is seen again. It is not printed as a degraded mode, but stats().notices contains it.
#pragma once

#include <charm/detail/assert.hpp>

#include <atomic>
#include <cstdint>
#include <string>

namespace charm::placement {
struct Placement;
}
namespace charm {
struct Machine;
}

namespace charm::sched {

struct Oversubscription {
  std::string reason;  ///< why the workers cannot all run at the same time; empty if they can
  bool lasting = false;
};
/// \param root of the file system, for tests.
Oversubscription oversubscription_at_start(const Machine& machine, const placement::Placement& placement, bool bound,
                                           const std::string& root = "/");

/// What the process knows of it. Times are those of base::monotonic_ns().
class OversubscriptionState {
 public:
  static constexpr std::int64_t load_lasts_ns = 3'000'000'000;

  [[nodiscard]] bool is_on() const noexcept { return state_.load(std::memory_order_relaxed) != State::off; }
  /// Begins or prolongs it. \return whether it has begun.
  bool report(bool lasting, std::int64_t now_ns) noexcept {
    CHARM_ASSERT(now_ns > 0, "a report has a time");
    seen_ns_.store(now_ns, std::memory_order_relaxed);
    State off = State::off;
    return state_.compare_exchange_strong(off, lasting ? State::lasting : State::by_load, std::memory_order_relaxed);
  }
  /// Ends that by load if nobody has reported it for some seconds.
  void let_pass(std::int64_t now_ns) noexcept {
    CHARM_ASSERT(now_ns > 0, "time passes from a time on");
    State by_load = State::by_load;
    if (now_ns - seen_ns_.load(std::memory_order_relaxed) > load_lasts_ns)
      state_.compare_exchange_strong(by_load, State::off, std::memory_order_relaxed);
  }
  /// With the runtime that it was about.
  void forget() noexcept { state_.store(State::off, std::memory_order_relaxed); }

 private:
  enum class State : std::uint8_t { off, by_load, lasting };
  std::atomic<State> state_{State::off};
  std::atomic<std::int64_t> seen_ns_{0};  // the last report
};

/// Whether waits should spin only briefly now. Cheap.
[[nodiscard]] bool oversubscribed() noexcept;

/// Begins or prolongs oversubscription. The first report makes a notice with the reason, which is printed if it lasts.
void report_oversubscription(const Oversubscription& oversubscription, std::int64_t now_ns);
void forget_oversubscription() noexcept;
/// Ends oversubscription by load if nobody has reported it for some seconds.
void let_oversubscription_pass(std::int64_t now_ns) noexcept;

/// The preemption detector of a searching worker: it is given the time again and again, and reports oversubscription
/// after repeated gaps.
class PreemptionDetector {
 public:
  void at(std::int64_t now_ns) noexcept {
    CHARM_ASSERT(now_ns >= last_, "the time of a search does not run backwards");
    if (last_ != 0 && now_ns - last_ > gap_ns && ++gaps_ == enough) report(now_ns);
    last_ = now_ns;
    if (oversubscribed()) let_oversubscription_pass(now_ns);
  }
  /// The next gap is the worker's own sleep and does not count.
  void slept() noexcept { last_ = 0; }

 private:
  static constexpr std::int64_t gap_ns = 1000000;
  static constexpr int enough = 8;
  static void report(std::int64_t now_ns) noexcept;
  std::int64_t last_ = 0;
  int gaps_ = 0;
};

}  // namespace charm::sched
