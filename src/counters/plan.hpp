// Plans what to count, and in which groups: assigns rows of the catalogue, or the user's events, to the counters of a
// core. A pure function, so that the plan for every core can be tested anywhere.
#pragma once

#include <charm/machine.hpp>

#include <string>
#include <vector>

#include "counters/catalogue.hpp"
#include "counters/event_text.hpp"
#include "counters/fill_source.hpp"
#include "os/perf/perf_events.hpp"

namespace charm::counters {

/// One counted event and the total that it is added to.
struct Planned {
  EventRole role = EventRole::fill;
  FillSource source = FillSource::other;
  os::PerfEvent event;
  bool minus = false;
  bool offcore = false;
  bool fixed = false;  ///< whether it may use a fixed counter
  std::string name;
};

struct EventPlan {
  /// Events of a group count at the same time; several groups take turns. The first holds the instructions.
  std::vector<std::vector<Planned>> groups;
  std::vector<FillClass> classes;
  std::vector<std::string> notes;  ///< what is left out and why
  [[nodiscard]] bool multiplexed() const { return groups.size() > 1; }
  [[nodiscard]] bool counts(EventRole role) const;
};

/// The numbers of events that one core can count at the same time.
struct Limits {
  int counters = 4;
  int fixed = 0;
  int offcore = 0;  ///< 0: no limit of its own
};

Limits limits_of(const CpuModel& model);
Shape shape_of(const Machine& machine);

/// \param model nullptr where the catalogue has no such core: instructions and cycles only.
/// \param wishes the user's events; if there are any they replace the catalogue's fills, and instructions and cycles if
/// they name them.
EventPlan make_plan(const CpuModel* model, const Shape& shape, const std::vector<UserEvent>& wishes);

/// The same events in groups that do not exceed `limits`.
std::vector<std::vector<Planned>> regroup(const std::vector<std::vector<Planned>>& groups, const Limits& limits);

}  // namespace charm::counters
