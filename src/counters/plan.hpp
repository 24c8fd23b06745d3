// What to count, and in which groups: rows of the catalogue, or the user's wishes, against the counters that a core
// has. A pure function, so that every core can be planned for anywhere.
#pragma once

#include <charm/machine.hpp>

#include <string>
#include <vector>

#include "counters/catalogue.hpp"
#include "counters/event_text.hpp"
#include "counters/fill_source.hpp"
#include "os/perf_events.hpp"

namespace charm::counters {

/// One counted event and where its count goes.
struct Planned {
  EventRole role = EventRole::fill;
  FillSource source = FillSource::other;
  os::PerfEvent event;
  bool minus = false;
  bool offcore = false;
  bool fixed = false;  ///< may have a counter of its own
  std::string name;
};

struct Plan {
  /// Events of a group count at the same time; several groups take turns. The first holds the instructions.
  std::vector<std::vector<Planned>> groups;
  std::vector<FillClass> classes;
  std::vector<std::string> notes;  ///< what is left out and why
  [[nodiscard]] bool multiplexed() const { return groups.size() > 1; }
  [[nodiscard]] bool counts(EventRole role) const;
};

/// What one core can count at once.
struct Limits {
  int counters = 4;
  int fixed = 0;
  int offcore = 0;  ///< 0: no limit of its own
};

Limits limits_of(const CpuModel& model);
Shape shape_of(const Machine& machine);

/// \param model nullptr where the catalogue has no such core: instructions and cycles only.
/// \param wishes of the user; where there are any they replace the catalogue's fills, and instructions and cycles where
/// they name them.
Plan make_plan(const CpuModel* model, const Shape& shape, const std::vector<UserEvent>& wishes);

/// The same events in groups of at most `limits`.
std::vector<std::vector<Planned>> regroup(const std::vector<std::vector<Planned>>& groups, const Limits& limits);

}  // namespace charm::counters
