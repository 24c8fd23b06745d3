// The part of ThreadPlacer that finds threads and tells masks that the program chose from those that we have set
// (within the plan, the program's masks stay: tools/attach/thread_placer.hpp).
#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "tools/attach/thread_placer.hpp"

namespace charm::attach {

void ThreadPlacer::refresh(double now) {
  std::set<ThreadId> present;
  std::map<ThreadId, Unfollowed> unfollowed;
  for (const Found& found : system_.threads()) {
    if (found.followed) {
      present.insert(found.id);
      processes_.insert(found.id.process);
      if (!members_.contains(found.id)) welcome(found, now);
    } else if (const auto met = unfollowed_.find(found.id); met != unfollowed_.end()) {
      unfollowed.insert(unfollowed_.extract(met));
    } else {
      meet(found, unfollowed);
    }
  }
  for (const ThreadId& id : system_.ended_unseen()) {
    if (members_.contains(id)) continue;
    ++tally_.threads;
    processes_.insert(id.process);
  }
  for (const auto& [id, ended] : unfollowed_) forget(id, now);
  unfollowed_ = std::move(unfollowed);
  bool left = false;
  double wanted = 0;
  for (const auto& [id, each] : unfollowed_) wanted += each.share;
  for (auto& [id, member] : members_) {
    if (present.contains(id)) {
      wanted += member.share;
      continue;
    }
    member.gone = true;
    left = left || member.slot >= 0;
  }
  demand_.searched(wanted);
  if (left) next_window_ = now;
  for (auto member = members_.begin(); member != members_.end();) {
    if (member->second.gone && member->second.slot < 0) {
      forget(member->first, now);
      member = members_.erase(member);
    } else {
      ++member;
    }
  }
  origin_.prune(now);
  tally_.most_threads = std::max(tally_.most_threads, members_.size());
  tally_.processes = std::max(tally_.processes, processes_.size());
}

void ThreadPlacer::welcome(const Found& found, double now) {
  const ThreadId& id = found.id;
  Member member;
  member.found = now;
  member.set = system_.mask(id);
  if (member.set.empty()) return;  // it has ended already
  ++tally_.threads;
  if (expected_masks_.contains(member.set)) member.place = member.set.front();
  member.original = attached_ && first_look_ ? member.set : came_with_;
  // What it has done since it was created belongs to this window; it may have ended before the next.
  if (!(attached_ && first_look_)) member.last.emplace();
  member.share = system_.runnable(id) ? 1 : 0;
  lively_until_ = now + lively_s;
  if (self_steered_.contains(id.process) || steers_itself(id)) {
    member.alone = true;
  } else if (!is_ours(found, member.set)) {
    leave_alone(id, member.alone, member.set, member.set);
  } else {
    origin_.has(id.process, id.thread, member.set, false, now);
    bind(id, member, plan_.cpus);
  }
  members_.emplace(id, std::move(member));
}

/// A thread of a child that is not followed: it must not stay bound to the one core of the thread that created it.
void ThreadPlacer::meet(const Found& found, std::map<ThreadId, Unfollowed>& unfollowed) {
  Unfollowed one;
  one.set = system_.mask(found.id);
  if (one.set.empty()) return;
  one.share = system_.runnable(found.id) ? 1 : 0;
  if (!(attached_ && first_look_)) one.last.emplace();
  if (!is_ours(found, one.set)) {
    leave_alone(found.id, one.alone, one.set, one.set);
  } else {
    origin_.has(found.id.process, found.id.thread, one.set, false, now_);
    let_go(found.id, one, plan_.cpus);
  }
  unfollowed.emplace(found.id, std::move(one));
}

void ThreadPlacer::let_go(const ThreadId& id, Unfollowed& unfollowed, const CpuSet& cpus) {
  if (unfollowed.alone || unfollowed.set == cpus || system_.bind(id, cpus) != 0) return;
  ++tally_.masks;
  unfollowed.set = cpus;
  origin_.has(id.process, id.thread, cpus, false, now_);
}

// ---- whose mask it is ----

/// Whether a thread that is new to us has its mask from us, by way of the thread that created it.
bool ThreadPlacer::is_ours(const Found& found, const CpuSet& mask) const {
  if (mask == plan_.cpus || expected_masks_.contains(mask)) return true;
  if (first_look_ && mask == came_with_) return true;
  return origin_.ours(found.id.process, found.parent, mask) || granted_anew(mask, plan_.cpus);
}

/// Whether the kernel made `mask` of `set`, because the cpus that cgroups grant have changed a moment ago: what is left
/// of it, or (before Linux 6.2, and where nothing is left) all that is granted now.
bool ThreadPlacer::granted_anew(const CpuSet& mask, const CpuSet& set) const {
  if (mask == (set & plan_.machine.allowed_cpus)) return true;
  const auto granted = changed_grant_ ? changed_grant_() : std::nullopt;
  return granted && (mask == *granted || mask == (set & *granted));
}

void ThreadPlacer::leave_alone(const ThreadId& id, bool& alone, CpuSet& set, const CpuSet& mask) {
  alone = true;
  set = mask;
  ++tally_.left_alone;
  origin_.has(id.process, id.thread, mask, true, now_);
  if (at_left_alone_) at_left_alone_(id);
}

/// \returns whether the thread's mask may be set: it is as we have set it, or nobody chose what it is instead.
bool ThreadPlacer::check_mask(const ThreadId& id, Member& member) {
  if (member.alone) return false;
  const CpuSet mask = system_.mask(id);
  if (mask.empty() || mask == member.set) return true;
  if (self_steered_.contains(id.process) || steers_itself(id)) return false;
  if (granted_anew(mask, member.set)) {
    // A thread that was never bound follows a cpuset that grows beyond the plan (within the plan).
    if (!(mask - plan_.cpus).empty() && system_.bind(id, member.set) == 0) ++tally_.masks;
    return true;
  }
  // Once it may be a library that binds its threads to the places that it was told.
  if (expected_masks_.contains(mask) && !std::exchange(member.obeyed, true)) {
    const CpuSet wanted = std::exchange(member.set, mask);
    member.place = mask.front();
    bind(id, member, wanted);
    return true;
  }
  leave_alone(id, member.alone, member.set, mask);
  return false;
}

void ThreadPlacer::check_mask(const ThreadId& id, Unfollowed& unfollowed) {
  if (unfollowed.alone) return;
  const CpuSet mask = system_.mask(id);
  if (mask.empty() || mask == unfollowed.set) return;
  if (granted_anew(mask, unfollowed.set)) {
    if (!(mask - plan_.cpus).empty() && system_.bind(id, unfollowed.set) == 0) ++tally_.masks;
    return;
  }
  leave_alone(id, unfollowed.alone, unfollowed.set, mask);
}

/// Workers of this library bind themselves. They would take a mask that we set for a wish of the user.
bool ThreadPlacer::steers_itself(const ThreadId& id) {
  const std::string name = system_.name(id);
  constexpr std::string_view prefix = "charm-";
  const bool is = name.starts_with(prefix) && name.size() > prefix.size() &&
                  std::all_of(name.begin() + prefix.size(), name.end(),
                              [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
  if (!is || !self_steered_.insert(id.process).second) return is;
  tally_.steers_itself = true;
  for (auto& [other, member] : members_) {
    if (other.process == id.process) member.alone = true;
  }
  return true;
}

}  // namespace charm::attach
