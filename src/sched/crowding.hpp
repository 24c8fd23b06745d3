// Whether the workers have their cores to themselves. Where they have not, spinning takes time from those who are
// waited for: then loops that wait give the cpu away at once and workers park sooner.
//
// Known at the start: more workers than cpus, a cgroup quota below the number of workers, other load on the cpus.
// Later: a searcher that finds a gap in its own time of more than a millisecond was not running. The state never goes
// back to uncrowded while the runtime lives; what it costs then is a little latency.
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

/// Why `workers` on their seats cannot all run at a time; empty where they can.
/// \param root of the file system, for tests.
std::string crowding_reason(const Machine& machine, const placement::Placement& placement, bool bound,
                            const std::string& root = "/");

/// Whether anybody has reported crowding since the runtime started. Cheap.
[[nodiscard]] bool crowded() noexcept;

/// The first report ends in a notice with the reason.
void report_crowding(const std::string& reason);
void forget_crowding() noexcept;

/// A searcher's watch over its own time: told the time again and again, reports crowding after repeated gaps.
class GapWatch {
 public:
  void at(std::int64_t now_ns) noexcept {
    if (last_ != 0 && now_ns - last_ > gap_ns && ++gaps_ == enough) report();
    last_ = now_ns;
  }
  /// The next gap is a sleep of its own.
  void slept() noexcept { last_ = 0; }

 private:
  static constexpr std::int64_t gap_ns = 1000000;
  static constexpr int enough = 8;
  void report() noexcept;
  std::int64_t last_ = 0;
  int gaps_ = 0;
};

}  // namespace charm::sched
