// What the operating system reports about a thread without hardware counters: page faults, migrations, time without a
// cpu. Also the part of every hardware reading that rdpmc cannot read.
#pragma once

#include <cstdint>
#include <memory>

#include "counters/event_group.hpp"
#include "counters/source.hpp"
#include "os/perf/perf_events.hpp"
#include "os/threads/thread_usage.hpp"

namespace charm::counters {

/// Software signals of one thread, which makes and uses the object.
class SoftwareSignals {
 public:
  /// \param perf for migrations, which the kernel counts as a perf event; without it, or where it may not count what
  /// happens in the kernel, changes of the cpu between readings are counted, which is at most all of them.
  explicit SoftwareSignals(const std::shared_ptr<os::PerfEvents>& perf);

  /// How old the values may be. They cost three system calls (15 us with cold caches), and no decision depends on them,
  /// so they are read for recordings alone (SourceContext::system_signals).
  static constexpr std::uint64_t fresh_ns = 50'000'000;

  /// Sets page_faults, migrations and waiting_ns; asks the kernel when that time has passed since it last did.
  void fill(Reading& reading) noexcept;
  [[nodiscard]] Measured measured() const;
  [[nodiscard]] bool exact_migrations() const { return events_ != nullptr; }
  void forget_pages() noexcept;

 private:
  void refresh() noexcept;

  os::ThreadUsage usage_;
  std::unique_ptr<EventGroup> events_;
  double migrated_ = 0;
  int cpu_ = -1;
  std::uint64_t first_faults_ = 0;
  std::uint64_t first_waiting_ = 0;
  std::uint64_t asked_ns_ = 0;
  std::uint64_t faults_ = 0, migrations_ = 0, waiting_ = 0;
};

/// Nanoseconds of the monotonic clock.
std::uint64_t now_ns() noexcept;

/// Pressure of the process's cgroup, or of the machine.
Pressure read_pressure(const std::string& root = "/");

}  // namespace charm::counters
