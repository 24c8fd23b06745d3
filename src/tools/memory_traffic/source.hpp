// Where readings of a machine's memory traffic come from: uncore counters, resctrl, a recording, a function. The kinds
// are values in one registry; adding one is one function and one row in source.cpp.
#pragma once

#include <charm/machine.hpp>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "os/machine/cpu_identity.hpp"
#include "os/perf/perf_access.hpp"
#include "tools/memory_traffic/model.hpp"
#include "tools/os/uncore_events.hpp"

namespace charm::memory_traffic {

class TrafficSource {
 public:
  TrafficSource() = default;
  virtual ~TrafficSource() = default;
  TrafficSource(const TrafficSource&) = delete;
  TrafficSource& operator=(const TrafficSource&) = delete;

  /// The traffic of all programs on the buses and controllers of the model, in GB/s, since the last call or since the
  /// source was opened; 0 if it is not known. \param now_s of a monotonic clock.
  virtual Bandwidths read(double now_s) = 0;
  /// What is read, for people: "8 events of amd_df on 2 sockets".
  [[nodiscard]] virtual std::string description() const = 0;
  /// Whether it reads the traffic of this moment; a recording does not.
  [[nodiscard]] virtual bool is_live() const { return true; }
  /// What it leaves out or guesses, one sentence each.
  [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }
};

/// What sources read: the machine and its model, and the kernel, in whose place tests put their own.
struct Surroundings {
  const Model* model = nullptr;
  const Machine* machine = nullptr;
  std::string root = "/";  ///< of sysfs and procfs
  std::shared_ptr<os::UncoreEvents> events = nullptr;
  os::CpuIdentity cpu = {};
  os::PerfAccess access = {};
};

/// Those of this machine.
Surroundings live_surroundings(const Model& model, const Machine& machine);

/// A source, or why there is none: what is missing and the remedy, as half a sentence.
struct SourceOrReason {
  std::unique_ptr<TrafficSource> source = nullptr;
  std::string why_not = {};
};

struct SourceKind {
  std::string_view name;
  std::string_view argument;  ///< behind a colon: "FILE"; empty: it takes none
  std::string_view summary;
  bool automatic;  ///< tried without being named, in the order of the registry
  SourceOrReason (*open)(const Surroundings& around, const std::string& argument);
};

std::span<const SourceKind> source_kinds();

/// The names with their arguments, as options list them: "auto", "amd", "replay:FILE".
std::vector<std::string> source_words();

/// \param words "auto": the first automatic one that can be had; else a kind's name, with its argument behind a colon.
/// \throws Error (bad_config) where there is no such kind; (system) where it cannot be had: with the reason of each
/// kind that was tried.
std::unique_ptr<TrafficSource> open_source(const Surroundings& around, const std::string& words);

/// All zero, with a place for each bus and memory of the model.
Bandwidths no_traffic(const Model& model);

}  // namespace charm::memory_traffic
