// The sources one by one, with everything that they need from the machine as arguments; Source::choose selects one.
#pragma once

#include <charm/machine.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "counters/catalogue.hpp"
#include "counters/event_text.hpp"
#include "counters/plan.hpp"
#include "counters/ration.hpp"
#include "counters/refusal.hpp"
#include "counters/source.hpp"
#include "os/machine/cpu_identity.hpp"
#include "os/perf/perf_access.hpp"
#include "os/perf/perf_events.hpp"

namespace charm::counters {

using Clock = std::function<std::uint64_t()>;  // ns; must not go back

/// The facts and functions of the machine that a source needs.
struct SourceContext {
  std::shared_ptr<os::PerfEvents> perf;
  os::PerfAccess access;
  os::CpuIdentity cpu;
  Clock clock;
  std::string root = "/";
  int threads = 0;             ///< that will be counted; 0: not known
  std::size_t files = 0;       ///< that the process may open; 0: no limit
  bool system_signals = true;  ///< whether a thread's page faults, migrations and time without a cpu are read, too
  /// What these events add to a switch between threads, in seconds; nothing where it cannot be measured.
  std::function<std::optional<double>(const std::vector<os::PerfEvent>& events)> switch_cost = {};
  std::function<std::uint64_t()> switches = {};  ///< of the calling thread since it began; may be missing
};

/// The context on this machine.
SourceContext source_context();

/// The choice of `Source::choose`, in a given context, which tests make up.
std::unique_ptr<Source> choose_source(const base::Settings& settings, const Machine& machine,
                                      const SourceContext& around);

struct HardwareAttempt {
  std::unique_ptr<Source> source;  ///< null if there are no counters
  Refusal refusal;
  EventPlan plan;  ///< of each thread: with fewer events than could be counted where files for all of them are missing
};
/// Opens the plan's events on the calling thread for a moment to see which of them the kernel takes.
HardwareAttempt try_hardware(const CpuModel* model, const Shape& shape, const std::vector<UserEvent>& wishes,
                             const SourceContext& around);

/// \param refusal why there are no hardware counters; empty if they were not asked for.
std::unique_ptr<Source> software_source(const SourceContext& around, const Refusal& refusal);
std::unique_ptr<Source> no_source(const std::string& why);

/// Passes the readings of `source` on and writes each of them to `path`.
/// \throws Error (bad_config) where the file cannot be written.
std::unique_ptr<Source> recording_source(std::unique_ptr<Source> source, const std::string& path);

enum class Pace {
  clock,  ///< a reading is the count at the same time after the start, interpolated between two lines
  lines,  ///< each reading is a worker's next line; for tests
};
/// \throws Error: bad_config where the file cannot be read, bad_input where it is no recording.
std::unique_ptr<Source> replay_source(const std::string& path, Pace pace, const Clock& clock);

}  // namespace charm::counters
