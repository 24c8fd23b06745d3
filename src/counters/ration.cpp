#include "counters/ration.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace charm::counters {
namespace {

constexpr int fewest_events = 3;

/// In the order in which a controller needs them.
constexpr std::array by_need{FillSource::other_chiplet, FillSource::local_dram,  FillSource::remote_dram,
                             FillSource::remote_cache,  FillSource::own_chiplet, FillSource::other,
                             FillSource::own_l2};

}  // namespace

FileRation ration(std::size_t files, int threads, int events) {
  if (files == 0 || threads <= 0) return {threads, events};
  const int room = static_cast<int>(files_for_counters(files));
  const int each = std::min(events, std::max(fewest_events, room / threads));
  return {std::min(threads, room / std::max(1, each)), each};
}

int events_of(const EventPlan& plan) {
  int events = 0;
  for (const auto& group : plan.groups) events += static_cast<int>(group.size());
  return events;
}

RationedPlan rationed(const EventPlan& plan, std::size_t files, int threads, bool by_group, const Limits& limits) {
  if (!by_group || files == 0 || threads <= 0) {
    const FileRation one = ration(files, threads, events_of(plan));
    return {trimmed(plan, one.events, limits), one.threads};
  }
  const int room = static_cast<int>(files_for_counters(files));
  const auto groups_of = [](const EventPlan& of) { return static_cast<int>(of.groups.size()); };
  RationedPlan least{plan, threads};
  for (int events = events_of(plan); events > fewest_events && groups_of(least.plan) > room / threads;)
    least.plan = trimmed(plan, --events, limits);
  least.threads = std::min(threads, room / std::max(1, groups_of(least.plan)));
  return least;
}

EventPlan trimmed(const EventPlan& plan, int events, const Limits& limits) {
  const int all = events_of(plan);
  if (all <= events) return plan;
  EventPlan less;
  less.notes = plan.notes;
  std::vector<Planned> kept;
  const auto keep = [&](auto&& wanted) {
    std::vector<Planned> some;
    for (const auto& group : plan.groups) std::copy_if(group.begin(), group.end(), std::back_inserter(some), wanted);
    if (some.empty() || kept.size() + some.size() > static_cast<std::size_t>(events)) return false;
    kept.insert(kept.end(), some.begin(), some.end());
    return true;
  };
  keep([](const Planned& one) { return one.role == EventRole::instructions; });
  std::string left_out;
  for (const FillSource source : by_need) {
    const auto its = std::find_if(plan.classes.begin(), plan.classes.end(),
                                  [&](const FillClass& one) { return one.reported_as == source; });
    if (its == plan.classes.end()) continue;
    if (keep([&](const Planned& one) { return one.role == EventRole::fill && one.source == source; })) {
      less.classes.push_back(*its);
    } else {
      left_out += (left_out.empty() ? "" : ", ") + std::string(name(source));
    }
  }
  less.groups = regroup({kept}, limits);
  less.notes.push_back("too few files may be open for all events of all threads: each counts " +
                       std::to_string(kept.size()) + " of " + std::to_string(all) + ", without " +
                       (left_out.empty() ? std::string("cycles") : left_out) + "; raise the hard limit (ulimit -Hn)");
  return less;
}

}  // namespace charm::counters
