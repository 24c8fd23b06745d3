// Opening the groups of a plan on a kernel that may not take all of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "counters/event_group.hpp"
#include "counters/plan.hpp"
#include "counters/sources.hpp"

namespace charm::counters {

using Groups = std::vector<std::unique_ptr<EventGroup>>;

struct Opened {
  Groups groups;
  std::vector<std::vector<Planned>> planned;  // the events that were opened
  std::vector<std::string> notes;
  int error = 0;  // errno of the first event, if it could not be opened; then there are no groups
};

/// Opens `groups` on the calling thread: in smaller groups if they do not fit, and without events that the kernel does
/// not know. \param pages and \param budget as for EventGroup::open.
Opened open_groups(const SourceContext& around, std::vector<std::vector<Planned>> groups, Limits limits,
                   bool pages = true, const std::shared_ptr<FileBudget>& budget = nullptr);

}  // namespace charm::counters
