// Hardware counters of threads of other programs: the events of the catalogue, as for the runtime's own workers, opened
// on a thread by its id and read with read(2) from outside.
//
// They cost such a thread no more than ration.hpp says. It is read no more often than its pause allows. A thread that
// switches more often than the events allow goes on with as many of them as it can afford, and with none where those
// would tell a controller nothing.
#pragma once

#include <charm/machine.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/settings.hpp"
#include "counters/plan.hpp"
#include "counters/source.hpp"
#include "counters/sources.hpp"

namespace charm::counters {

/// What the counters of other threads need besides a SourceContext.
struct OtherContext {
  SourceContext around;
  std::function<std::shared_ptr<os::PerfEvents>(int thread)> perf_of;
  std::function<std::optional<std::uint64_t>(int thread)> switches_of;
};
OtherContext other_context();

class OtherThreads {
 public:
  /// Takes the events from the settings `counters` and `counter_events`, and tries whether the kernel gives any.
  /// \throws Error (system) where `hardware` is asked for and there are no counters.
  OtherThreads(const base::Settings& settings, const Machine& machine, OtherContext context = other_context());

  /// Opens the counters of a thread; null if there are none, for this thread or at all. They do not outlive this.
  [[nodiscard]] std::unique_ptr<ThreadCounters> open(int thread) const;

  [[nodiscard]] bool available() const { return available_; }
  [[nodiscard]] const std::string& name() const { return name_; }        ///< "hardware counters (...)"
  [[nodiscard]] const std::string& why_not() const { return why_not_; }  ///< why there are none, and the remedy

 private:
  OtherContext context_;
  EventPlan plan_;
  Limits limits_;
  double reading_s_ = 0, switch_s_ = 0;
  mutable std::atomic<bool> few_files_{false};  // whether the events' pages have to save some
  bool available_ = false;
  std::string name_, why_not_;
};

}  // namespace charm::counters
