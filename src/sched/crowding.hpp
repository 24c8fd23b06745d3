// Whether the workers have their cores to themselves. Where they have not, spinning takes time from those who are
// waited for: then loops that wait give the cpu away at once and workers park sooner.
//
// Known at the start, and lasting: more workers than cpus, a cgroup quota below the number of workers. It is reported.
// Load of others comes and goes: seen at the start, or by a searcher that finds gaps of more than a millisecond in its
// own time, in which it was not running. That state ends some seconds later unless it is seen again, and is no degraded
// mode to be printed: stats().notices has it.
#pragma once

#include <cstdint>
#include <string>

namespace charm::placement {
struct Placement;
}
namespace charm {
struct Machine;
}

namespace charm::sched {

struct Crowding {
  std::string reason;  ///< why the workers cannot all run at a time; empty where they can
  bool lasting = false;
};
/// \param root of the file system, for tests.
Crowding crowding_at_start(const Machine& machine, const placement::Placement& placement, bool bound,
                           const std::string& root = "/");

/// Whether spinning is to be kept short now. Cheap.
[[nodiscard]] bool crowded() noexcept;

/// The first report ends in a notice with the reason; printed if it lasts.
void report_crowding(const Crowding& crowding, std::int64_t now_ns);
void forget_crowding() noexcept;
/// Ends a crowding by load that nobody has reported for some seconds.
void let_crowding_pass(std::int64_t now_ns) noexcept;

/// A searcher's watch over its own time: told the time again and again, reports crowding after repeated gaps.
class GapWatch {
 public:
  void at(std::int64_t now_ns) noexcept {
    if (last_ != 0 && now_ns - last_ > gap_ns && ++gaps_ == enough) report(now_ns);
    last_ = now_ns;
    if (crowded()) let_crowding_pass(now_ns);
  }
  /// The next gap is a sleep of its own.
  void slept() noexcept { last_ = 0; }

 private:
  static constexpr std::int64_t gap_ns = 1000000;
  static constexpr int enough = 8;
  static void report(std::int64_t now_ns) noexcept;
  std::int64_t last_ = 0;
  int gaps_ = 0;
};

}  // namespace charm::sched
