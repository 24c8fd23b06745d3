// The counters of a run: the events of the catalogue for this core, counted over the whole program and its children,
// or the exact reason why there are none (src/counters).
#pragma once

#include <charm/machine.hpp>

#include <optional>
#include <string>
#include <vector>

#include "counters/plan.hpp"
#include "tools/os/child_events.hpp"

namespace charm::compare {

class Counting {
 public:
  /// Opens the events for a moment, to see which of them the kernel takes.
  /// \param wanted false: nothing is counted, and why_not() is `unwanted_why`.
  Counting(const Machine& machine, bool wanted, const std::string& unwanted_why);

  /// "instructions", "cycles", fill sources, "migrations".
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// Why there are no hardware counters; empty where there are.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }

  /// Opens the events for the next program that this thread starts.
  [[nodiscard]] std::optional<os::ChildEvents> open() const;
  /// The counts in the order of names(); nothing for an event that did not get a counter in this run.
  [[nodiscard]] std::vector<std::optional<double>> read(const os::ChildEvents& events) const;

 private:
  struct Event {
    os::PerfEvent event;
    std::size_t name = 0;  // index of the name to whose sum the event belongs
    bool minus = false;
  };
  void add(const std::string& name, const os::PerfEvent& event, bool minus);
  void drop_refused();
  [[nodiscard]] std::vector<os::PerfEvent> plain() const;

  std::vector<std::string> names_;
  std::vector<Event> events_;
  std::string why_not_;
};

}  // namespace charm::compare
