#include "attach/thread_placer.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <utility>

#include "controller/policy.hpp"
#include "steering/readings.hpp"

namespace charm::attach {
namespace {

constexpr double look_s = 0.02;  // short enough that a thread that lives for 50 ms is found
constexpr double lively_window_s = 0.1;
constexpr double calm_window_s = 0.25;
constexpr double lively_s = 2;  // time of frequent checks after the last change
constexpr double before_all_time = -1;
constexpr int most_rounds = 8;  // searches for threads that were created while masks changed

}  // namespace

ThreadPlacer::ThreadPlacer(System& system, AttachPlan plan, CpuSet came_with, bool attached, double now)
    : system_(system),
      plan_(std::move(plan)),
      came_with_(std::move(came_with)),
      attached_(attached),
      started_(now),
      claims_(plan_.machine),
      last_window_(now) {
  know(came_with_);
  know_plan();
}

/// Masks that are of our doing. Single cpus are among them: a library that was given its places by a variable binds its
/// threads to them.
void ThreadPlacer::know_plan() {
  know(plan_.cpus);
  for (const int cpu : plan_.cpus) know({cpu});
}

double ThreadPlacer::step(double now) {
  if (now >= next_look_) {
    if (system_.news() || first_look_) refresh(now);
    first_look_ = false;
    next_look_ = now + look_s;
  }
  if (now >= next_window_) {
    measure(now);
    assign(now);
    avoid(now);
    next_window_ = now + (now < lively_until_ ? lively_window_s : calm_window_s);
  }
  if (decides() && now >= next_tick_) {
    record_counts(now);
    next_tick_ = now + generation_->control_group->period() / 2;
  }
  const double next = system_.announces() >= 0 ? next_window_ : std::min(next_look_, next_window_);
  return decides() ? std::min(next, next_tick_) : next;
}

// ---- finding ----

void ThreadPlacer::refresh(double now) {
  std::set<ThreadId> present;
  std::map<ThreadId, std::optional<os::ThreadTime>> unfollowed;
  for (const Found& found : system_.threads()) {
    if (found.followed) {
      present.insert(found.id);
      processes_.insert(found.id.process);
      if (!members_.contains(found.id)) welcome(found.id, now);
      continue;
    }
    const auto met = unfollowed_.find(found.id);
    unfollowed.emplace(found.id, met == unfollowed_.end() ? std::nullopt : met->second);
    if (met != unfollowed_.end()) continue;
    // It is not followed, and must not stay bound to the one core of the thread that created it.
    const CpuSet mask = system_.mask(found.id);
    if (mask != plan_.cpus && known_.contains(mask) && system_.bind(found.id, plan_.cpus) == 0) ++tally_.masks;
  }
  unfollowed_ = std::move(unfollowed);
  bool left = false;
  for (auto& [id, member] : members_) {
    if (present.contains(id)) continue;
    member.gone = true;
    left = left || member.slot >= 0;
  }
  if (left) next_window_ = now;
  for (auto member = members_.begin(); member != members_.end();) {
    member = member->second.gone && member->second.slot < 0 ? members_.erase(member) : std::next(member);
  }
  tally_.most_threads = std::max(tally_.most_threads, members_.size());
  tally_.processes = std::max(tally_.processes, processes_.size());
}

void ThreadPlacer::welcome(const ThreadId& id, double now) {
  Member member;
  member.found = now;
  member.set = system_.mask(id);
  if (member.set.empty()) return;  // it has ended already
  ++tally_.threads;
  member.original = attached_ && first_look_ ? member.set : came_with_;
  lively_until_ = now + lively_s;
  if (self_steered_.contains(id.process) || steers_itself(id)) {
    member.alone = true;
  } else if (!known_.contains(member.set)) {
    member.alone = true;
    ++tally_.left_alone;
  } else {
    bind(id, member, plan_.cpus);
  }
  members_.emplace(id, std::move(member));
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

// ---- measuring ----

void ThreadPlacer::measure(double now) {
  const double seconds = now - last_window_;
  if (seconds <= 0) return;
  last_window_ = now;
  const auto passed = [](std::uint64_t before, std::uint64_t after) {
    return static_cast<double>(after - std::min(before, after)) * 1e-9;
  };
  children_demand_ = 0;
  for (auto& [id, last] : unfollowed_) {
    const auto time = system_.time(id);
    if (time && last) {
      const double wanted = passed(last->run_ns, time->run_ns) + passed(last->wait_ns, time->wait_ns);
      children_demand_ += std::min(1.0, wanted / seconds);
    }
    last = time;
  }
  load_ = 0;
  for (auto& [id, member] : members_) {
    const auto time = system_.time(id);
    if (!time) {
      member.gone = true;
      continue;
    }
    if (member.last) {
      const double ran = passed(member.last->run_ns, time->run_ns);
      load_ += ran / seconds;
      if (member.set.size() == 1) own_.bound[member.set.front()] += ran;
      const bool before = member.role.worker();
      member.role.feed(std::min(1.0, (ran + passed(member.last->wait_ns, time->wait_ns)) / seconds), seconds);
      if (member.role.worker() != before) lively_until_ = now + lively_s;
    }
    member.last = *time;
    if (!member.alone) check_mask(id, member);
  }
  sample_interference(now);
}

void ThreadPlacer::sample_interference(double now) {
  if (!samples_others_ || plan_.bind == base::Bind::none || plan_.spec == "os" || !interference_.due(now)) return;
  own_.all = system_.used();
  interference_.sample(now, system_.cpu_times(), own_, leased_);
}

void ThreadPlacer::check_mask(const ThreadId& id, Member& member) {
  const CpuSet mask = system_.mask(id);
  if (mask.empty() || mask == member.set || mask == (member.set & plan_.machine.allowed_cpus)) return;
  if (steers_itself(id) || self_steered_.contains(id.process)) return;
  // One unexpected mask may come from a library that binds its threads to the places it was given, or from a cgroup
  // whose change is noticed a moment later. A second one is the program's own wish.
  if (++member.surprises == 1) {
    if (!known_.contains(mask)) return;
    const CpuSet wanted = std::exchange(member.set, mask);
    bind(id, member, wanted);
    return;
  }
  member.alone = true;
  ++tally_.left_alone;
}

// ---- deciding ----

void ThreadPlacer::count(Slot& slot) {
  Member& member = members_.at(slot.thread);
  const auto time = system_.time(slot.thread);
  if (!time || !member.counters) return;
  controller::Counts total;
  total.busy = static_cast<double>(time->run_ns) * 1e-9;
  const counters::Reading reading = member.counters->read();
  steering::add_reading(total, reading);
  const bool is_new = member.told.busy == 0;
  if (!is_new) slot.totals += total - member.told;
  slot.totals.counters = steering::tells_enough(reading.has);
  member.told = total;
}

void ThreadPlacer::record_counts(double now) {
  std::optional<std::size_t> last;
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    if (!slots_[s].taken() || !members_.contains(slots_[s].thread)) continue;
    Member& member = members_.at(slots_[s].thread);
    if (!member.counters) member.counters = system_.counters(slots_[s].thread);
    count(slots_[s]);
    // The first poll that finds the tick due decides. It has to be the last worker's, when all have stored their
    // counts, so the others poll with a time before every tick.
    if (last) generation_->control_group->poll(static_cast<int>(*last), slots_[*last].totals, before_all_time);
    last = s;
  }
  if (!last) return;
  generation_->control_group->poll(static_cast<int>(*last), slots_[*last].totals, now - started_);
  if (generation_->spread() != stood_at_) apply(now);
}

// ---- from outside ----

void ThreadPlacer::use(AttachPlan plan, double now) {
  if (plan.cpus == plan_.cpus && plan.machine.allowed_cpus == plan_.machine.allowed_cpus) return;
  plan_ = std::move(plan);
  know_plan();
  refresh(now);
  // A program that places its own threads takes this as it takes taskset -a, and keeps to these cpus.
  for (auto& [id, member] : members_) {
    if (self_steered_.contains(id.process) && system_.bind(id, plan_.cpus) == 0) ++tally_.masks;
    member.worker_core = {};
    member.surprises = 0;
    if (!member.alone) member.set = system_.mask(id);  // a cgroup may have changed it
  }
  for (const auto& [id, time] : unfollowed_) {
    if (known_.contains(system_.mask(id)) && system_.bind(id, plan_.cpus) == 0) ++tally_.masks;
  }
  renew(now);
  // A thread that was created meanwhile may have the old mask of its creator. Threads created from now on have the new.
  for (int round = 0; round < most_rounds; ++round) {
    const std::size_t before = tally_.threads;
    refresh(now);
    if (tally_.threads == before) break;
  }
}

void ThreadPlacer::restore() {
  for (auto& [id, member] : members_) {
    const bool steered = self_steered_.contains(id.process);
    if ((member.alone && !steered) || member.gone || (!steered && member.set == member.original)) continue;
    system_.bind(id, member.original);
    member.set = member.original;
    if (member.binder) member.binder->forget();
  }
  for (const auto& [id, time] : unfollowed_) {
    if (system_.mask(id) == plan_.cpus) system_.bind(id, came_with_);
  }
  // A thread that was created since the latest search has the mask of a bound thread, and so has every thread that it
  // creates meanwhile.
  bool more = true;
  for (int round = 0; more && round < most_rounds; ++round) {
    more = false;
    for (const auto& [id, followed] : system_.threads()) {
      if (members_.contains(id) || unfollowed_.contains(id) || self_steered_.contains(id.process)) continue;
      const CpuSet mask = system_.mask(id);
      if (mask != came_with_ && known_.contains(mask) && system_.bind(id, came_with_) == 0) more = true;
    }
  }
}

int ThreadPlacer::spread() const {
  if (generation_) return generation_->spread();
  return static_cast<int>(plan_.machine.chiplets.size());
}

std::vector<int> ThreadPlacer::levels() const {
  return generation_ ? generation_->placement.levels : std::vector<int>{spread()};
}

std::vector<Decision> ThreadPlacer::decisions() const {
  std::vector<Decision> all = past_;
  if (decides()) {
    for (Decision& decision : generation_->control_group->decisions()) all.push_back(std::move(decision));
  }
  return all;
}

std::vector<ThreadPlacer::Row> ThreadPlacer::rows() const {
  std::vector<Row> rows;
  for (const auto& [id, member] : members_) {
    rows.push_back({id, member.slot >= 0, member.set, member.slot >= 0 ? member.worker_core.chiplet : -1});
  }
  return rows;
}

}  // namespace charm::attach
