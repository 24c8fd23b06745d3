#include "counters/opening.hpp"

#include <cerrno>
#include <utility>

#include "counters/event_text.hpp"

namespace charm::counters {
namespace {

/// Whether another grouping may help where an event of a group is refused.
bool is_about_room(int error) { return error == EINVAL || error == ENOSPC || error == EBUSY; }

bool is_about_the_process(int error) {
  return error == EMFILE || error == ENFILE || error == ENOSYS || error == EPERM || error == EACCES || error == ENOMEM;
}

void drop(std::vector<std::vector<Planned>>& groups, const Planned& refused) {
  for (auto& group : groups) {
    std::erase_if(group, [&](const Planned& one) {
      // A sum that lacks a part would be wrong, so the whole source is left out.
      return refused.role == EventRole::fill ? one.role == EventRole::fill && one.source == refused.source
                                             : one.role == refused.role;
    });
  }
  std::erase_if(groups, [](const auto& group) { return group.empty(); });
}

}  // namespace

Opened open_groups(const SourceContext& around, std::vector<std::vector<Planned>> groups, Limits limits, bool pages,
                   const std::shared_ptr<FileBudget>& budget) {
  Opened opened;
  while (!groups.empty()) {
    Groups open;
    EventGroup::Failure failure;
    std::size_t at = 0;
    for (; at < groups.size(); ++at) {
      auto group = EventGroup::open(around.perf, groups[at], failure, pages, budget);
      if (group == nullptr) break;
      open.push_back(std::move(group));
    }
    if (at == groups.size()) {
      opened.groups = std::move(open);
      opened.planned = std::move(groups);
      return opened;
    }
    open.clear();
    const Planned refused = groups[at][failure.event];
    if (is_about_the_process(failure.error)) {
      opened.error = failure.error;
      return opened;
    }
    if (failure.event > 0 && is_about_room(failure.error)) {
      limits.fixed = 0;
      limits.counters = static_cast<int>(failure.event);
      groups = regroup(groups, limits);
      continue;
    }
    if (opened.error == 0) opened.error = failure.error;
    opened.notes.push_back("the kernel refuses " + refused.name + " (" +
                           raw_text({refused.event.type, refused.event.config, refused.event.config1}) + ")");
    drop(groups, refused);
  }
  return opened;
}

}  // namespace charm::counters
