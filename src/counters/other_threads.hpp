// Hardware counters of threads of other programs: the events of the catalogue, as for the runtime's own workers, opened
// on a thread by its id and read with read(2) from outside.
#pragma once

#include <charm/machine.hpp>

#include <memory>
#include <string>
#include <vector>

#include "base/settings.hpp"
#include "counters/plan.hpp"
#include "counters/source.hpp"
#include "counters/sources.hpp"

namespace charm::counters {

class OtherThreads {
 public:
  /// Takes the events from the settings `counters` and `counter_events`, and tries whether the kernel gives any.
  /// \throws Error (system) where `hardware` is asked for and there are no counters.
  OtherThreads(const base::Settings& settings, const Machine& machine);

  /// Opens the counters of a thread; null if there are none, for this thread or at all.
  [[nodiscard]] std::unique_ptr<ThreadCounters> open(int thread) const;

  [[nodiscard]] bool available() const { return available_; }
  [[nodiscard]] const std::string& name() const { return name_; }        ///< "hardware counters (...)"
  [[nodiscard]] const std::string& why_not() const { return why_not_; }  ///< why there are none, and the remedy

 private:
  SourceContext around_;
  std::vector<std::vector<Planned>> groups_;
  Limits limits_;
  bool available_ = false;
  std::string name_, why_not_;
};

}  // namespace charm::counters
