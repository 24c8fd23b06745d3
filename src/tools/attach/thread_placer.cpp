#include "tools/attach/thread_placer.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "binding/readings.hpp"
#include "controller/controller.hpp"

namespace charm::attach {
namespace {

constexpr int most_silent_ticks = 10;  // of workers' counters that tell nothing, until they are not believed any more
constexpr double look_s = 0.02;        // short enough that a thread that lives for 50 ms is found
constexpr double unhurried_look_s = 0.1;  // seldom where nothing can be missed
constexpr double lively_window_s = 0.1;
constexpr double calm_window_s = 0.25;
constexpr double stand_s = 1;   // between two looks at its memory
constexpr int most_rounds = 8;  // searches for threads that were created while masks changed

}  // namespace

ThreadPlacer::ThreadPlacer(System& system, AttachPlan plan, CpuSet came_with, bool attached, double now)
    : system_(system),
      plan_(std::move(plan)),
      came_with_(std::move(came_with)),
      attached_(attached),
      started_(now),
      claims_(plan_.machine),
      now_(now),
      last_window_(now) {}

double ThreadPlacer::step(double now) {
  now_ = now;
  // A window is an opportunity to look, too, so that both need one wake-up.
  if (now >= next_look_ || (now >= next_window_ && now >= looked_at_ + look_s)) {
    found_news_ = system_.news() || first_look_;
    if (found_news_) refresh(now);
    first_look_ = false;
    looked_at_ = now;
  }
  if (now >= next_window_) {
    measure(now);
    assign(now);
    avoid(now);
    if (now >= next_stand_) {
      if (!look_at_progress(now)) stand(now);
      next_stand_ = now + stand_s;
    }
    next_window_ = now + (now < lively_until_ ? lively_window_s : calm_window_s);
  }
  if (decides() && now >= next_tick_) {
    const bool heard = work_.hear(system_, now);
    if (heard) record_counts(now);
    if (decides()) next_tick_ = now + (heard ? generation_->control_group->period() / 2 : look_s);
  }
  next_look_ = looked_at_ + look_seconds();
  const double next = system_.announces() >= 0 ? next_window_ : std::min(next_look_, next_window_);
  return decides() ? std::min(next, next_tick_) : next;
}

double ThreadPlacer::look_seconds() const {
  const bool unhurried =
      system_.announces() >= 0 && static_cast<int>(plan_.machine.cores.size()) >= most_cores_ && all_unbound();
  return unhurried ? unhurried_look_s : look_s;
}

/// Threads that chose their masks pass them on to others that are left alone likewise.
bool ThreadPlacer::all_unbound() const {
  const auto wide = [&](const auto& each) { return each.second.alone || each.second.set == plan_.cpus; };
  return std::all_of(members_.begin(), members_.end(), wide) &&
         std::all_of(unfollowed_.begin(), unfollowed_.end(), wide);
}

// ---- measuring ----

void ThreadPlacer::measure(double now) {
  const double seconds = now - last_window_;
  if (seconds <= 0) return;
  last_window_ = now;
  const auto passed = [](std::uint64_t before, std::uint64_t after) {
    return static_cast<double>(after - std::min(before, after)) * 1e-9;
  };
  const auto share_of = [&](const std::optional<os::ThreadTime>& before, const os::ThreadTime& time) {
    if (!before) return 0.0;
    return std::min(1.0, (passed(before->run_ns, time.run_ns) + passed(before->wait_ns, time.wait_ns)) / seconds);
  };
  double wanted = 0;
  for (auto& [id, unfollowed] : unfollowed_) {
    const auto time = system_.time(id);
    if (time) {
      unfollowed.share = share_of(unfollowed.last, *time);
      wanted += unfollowed.share;
      check_mask(id, unfollowed);
    }
    unfollowed.last = time;
  }
  for (auto& [id, member] : members_) {
    const auto time = system_.time(id);
    if (!time) {
      member.gone = true;
      continue;
    }
    if (member.last) {
      if (member.set.size() == 1) others_.own_thread_ran(member.set.front(), passed(member.last->run_ns, time->run_ns));
      member.share = share_of(member.last, *time);
      wanted += member.share;
      const bool before = member.role.worker();
      member.role.feed(member.share, seconds);
      if (member.role.worker() != before) lively_until_ = now + lively_s;
    }
    member.last = *time;
    check_mask(id, member);
  }
  demand_.sample(now, wanted, workers(), [&] { return system_.used(); });
  if (plan_.bind != base::Bind::none && plan_.spec != "os") others_.sample(now, system_);
}

// ---- deciding ----

void ThreadPlacer::count(Slot& slot) {
  Member& member = members_.at(slot.thread);
  const auto time = system_.time(slot.thread);
  if (!time || (!member.counters && !work_.counts())) return;
  controller::Counts total;
  total.busy = static_cast<double>(time->run_ns) * 1e-9;
  counters::Reading reading;
  if (member.counters) reading = member.counters->read();
  binding::add_reading(total, reading);
  const bool is_new = member.counted.busy == 0;
  if (!is_new) slot.totals += total - member.counted;
  slot.totals.counters = binding::measures_enough(reading.has);
  slot.totals.hides_chiplets = binding::hides_chiplets(reading.has, plan_.machine);
  if (slot.totals.hides_chiplets && controller::needs_other_chiplets(plan_.spec)) trouble_ = binding::hidden_chiplets;
  member.counted = total;
}

/// Whether no worker's counters tell anything any more, as where all of them switch so often that counting would cost
/// too much (counters/other_threads.hpp).
bool ThreadPlacer::counters_given_up() {
  if (work_.counts() || given_up_) return false;
  const bool silent = std::all_of(slots_.begin(), slots_.end(),
                                  [](const Slot& slot) { return !slot.taken() || !slot.totals.counters; });
  silent_ticks_ = silent ? silent_ticks_ + 1 : 0;
  given_up_ = silent_ticks_ >= most_silent_ticks;
  return given_up_;
}

/// The first number may come late, and no further one for long. \returns whether that made a new placement.
bool ThreadPlacer::look_at_progress(double now) {
  if (!generation_ || serial() || generation_->shared || WorkDone::is_said(system_, now) == work_.counts())
    return false;
  renew(now);
  return true;
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
  slots_[*last].totals.user_work += work_.take_news();
  if (counters_given_up()) return renew(now);
  const long changes = generation_->control_group->changes();
  generation_->control_group->poll(static_cast<int>(*last), slots_[*last].totals, work_.at(now) - started_);
  if (generation_->control_group->changes() != changes) apply(now);
}

// ---- from outside ----

void ThreadPlacer::came_with(const CpuSet& cpus) {
  for (auto& [id, member] : members_) {
    if (member.original == came_with_) member.original = cpus;
  }
  came_with_ = cpus;
}

void ThreadPlacer::use(AttachPlan plan, double now) {
  const bool same = plan.cpus == plan_.cpus && plan.machine.allowed_cpus == plan_.machine.allowed_cpus;
  now_ = now;
  if (!same) refresh(now);
  // What the program has chosen since the latest window must not be taken for a mask of the old plan.
  for (auto& [id, member] : members_) check_mask(id, member);
  for (auto& [id, unfollowed] : unfollowed_) check_mask(id, unfollowed);
  if (same) return;
  for (Slot& slot : slots_) {
    if (slot.taken() && members_.at(slot.thread).alone) vacate(slot);
  }
  plan_ = std::move(plan);
  // A program that places its own threads takes this as it takes taskset -a, and keeps to these cpus.
  for (auto& [id, member] : members_) {
    if (self_steered_.contains(id.process) && system_.bind(id, plan_.cpus) == 0) ++tally_.masks;
    member.worker_core = {};
    if (member.alone) continue;
    // A cgroup may have changed it. The kernel remembers the mask that the thread was given, and would return to it.
    member.set = system_.mask(id);
    member.asked_anew = true;
  }
  for (auto& [id, unfollowed] : unfollowed_) let_go(id, unfollowed, plan_.cpus);
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
    if (!steered && !member.gone) check_mask(id, member);
    if ((member.alone && !steered) || member.gone || (!steered && member.set == member.original)) continue;
    system_.bind(id, member.original);
    member.set = member.original;
    origin_.has(id.process, id.thread, member.set, false, now_);
    if (member.binder) member.binder->forget();
  }
  for (auto& [id, unfollowed] : unfollowed_) {
    check_mask(id, unfollowed);
    let_go(id, unfollowed, came_with_);
  }
  // A thread that was created since the latest search has the mask of a bound thread, and so has every thread that it
  // creates meanwhile.
  bool more = true;
  for (int round = 0; more && round < most_rounds; ++round) {
    more = false;
    for (const Found& found : system_.threads()) {
      const ThreadId& id = found.id;
      if (members_.contains(id) || unfollowed_.contains(id) || self_steered_.contains(id.process)) continue;
      const CpuSet mask = system_.mask(id);
      if (mask != came_with_ && is_ours(found, mask) && system_.bind(id, came_with_) == 0) more = true;
    }
  }
}

OsNodeSet ThreadPlacer::worker_nodes() const {
  OsNodeSet nodes;
  for (const auto& [id, member] : members_) {
    if (member.slot < 0 || member.alone || member.gone || member.worker_core.node < 0) continue;
    nodes.insert(plan_.machine.nodes[static_cast<std::size_t>(member.worker_core.node)].os_index);
  }
  return nodes;
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
