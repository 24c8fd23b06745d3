// The part of ThreadPlacer that gives each worker a slot, makes a placement for as many workers as there are, and sets
// the masks that follow from it (within the plan, a core each: tools/attach/thread_placer.hpp).
#include <algorithm>
#include <cerrno>
#include <utility>

#include "binding/masks.hpp"
#include "controller/controller.hpp"
#include "placement/quiet.hpp"
#include "tools/attach/gathering.hpp"
#include "tools/attach/thread_placer.hpp"

namespace charm::attach {
namespace {

constexpr double grown_up_s = 1;   // age at which a thread counts as a worker or a helper
constexpr double idle_core_s = 1;  // time for which a worker that has gone to sleep keeps its core
constexpr std::size_t most_past = 4096;
constexpr double never = -1;
constexpr int binder_patience = 3;  // attempts before a worker floats; few, since this one thread makes all moves

}  // namespace

void ThreadPlacer::vacate(Slot& slot) {
  if (!slot.taken()) return;
  if (const auto member = members_.find(slot.thread); member != members_.end()) {
    member->second.slot = -1;
    member->second.counters.reset();
    if (member->second.alone || member->second.gone) {
      if (member->second.binder) member->second.binder->forget();
    } else {
      unplace(member->first, member->second, plan_.cpus);
    }
    if (member->second.gone) {
      forget(member->first, now_);
      members_.erase(member);
    }
  }
  slot.thread = {};
}

void ThreadPlacer::assign(double now) {
  bool changed = false;
  for (Slot& slot : slots_) {
    if (!slot.taken()) continue;
    const auto member = members_.find(slot.thread);
    if (member != members_.end() && !member->second.gone && !member->second.alone && member->second.role.worker())
      continue;
    vacate(slot);
    changed = true;
  }
  std::size_t workers = 0;
  for (auto& [id, member] : members_) {
    if (member.alone || member.gone || !member.role.worker()) continue;
    ++workers;
    if (member.slot >= 0) continue;
    auto slot = std::find_if(slots_.begin(), slots_.end(), [](const Slot& each) { return !each.taken(); });
    if (slot == slots_.end()) slot = slots_.insert(slots_.end(), Slot{});
    slot->thread = id;
    member.slot = static_cast<int>(slot - slots_.begin());
    changed = true;
  }
  tally_.workers = workers;
  tally_.most_workers = std::max(tally_.most_workers, workers);

  if (workers == slots_.size()) {
    idle_core_since_ = never;
  } else if (idle_core_since_ < 0) {
    idle_core_since_ = now;
  } else if (now - idle_core_since_ >= idle_core_s) {
    // The last workers fill the gaps, so that few move.
    for (std::size_t s = 0; s < slots_.size(); ++s) {
      while (!slots_.empty() && !slots_.back().taken()) slots_.pop_back();
      if (s >= slots_.size() || slots_[s].taken()) continue;
      slots_[s].thread = slots_.back().thread;
      members_.at(slots_[s].thread).slot = static_cast<int>(s);
      slots_.pop_back();
    }
    idle_core_since_ = never;
  }
  if (slots_.size() != (generation_ ? generation_->placement.start().size() : 0)) {
    renew(now);
  } else if (changed || waits_) {
    if (generation_ && !generation_->control_group) make_control_group(now);
    apply(now);
  } else {
    // A thread may have reached the age at which its role is known.
    const CpuSet cpus = helper_cpus();
    for (auto& [id, member] : members_) {
      if (member.slot < 0 && !member.alone && !member.gone && now - member.found >= grown_up_s)
        unplace(id, member, cpus);
    }
  }
}

/// A thread that was told its place has touched its memory from there, so that worker numbers are exchanged until as
/// many of these threads as possible stay where they are.
void ThreadPlacer::keep_places() {
  if (expected_masks_.empty() || generation_->shared || controller::moves(plan_.spec)) return;
  auto& rows = generation_->placement.worker_cores;
  const std::vector<WorkerCore>& start = generation_->placement.start();
  const auto place_of = [&](std::size_t slot) {
    const auto member = slots_[slot].taken() ? members_.find(slots_[slot].thread) : members_.end();
    return member == members_.end() ? -1 : member->second.place;
  };
  for (std::size_t s = 0; s < std::min(slots_.size(), start.size()); ++s) {
    const int cpu = place_of(s);
    const auto there =
        std::find_if(start.begin(), start.end(), [&](const WorkerCore& each) { return each.cpu == cpu; });
    const auto other = static_cast<std::size_t>(there - start.begin());
    if (cpu < 0 || there == start.end() || (other < s && place_of(other) == cpu)) continue;
    for (auto& row : rows) std::swap(row[s], row[other]);
  }
}

void ThreadPlacer::renew(double now) {
  past_ = decisions();
  if (past_.size() > most_past) past_.erase(past_.begin(), past_.end() - most_past);
  const int number = generation_ ? generation_->number + 1 : 1;
  const bool first = !generation_;
  generation_.reset();
  for (Slot& slot : slots_) slot.totals = {};
  for (auto& [id, member] : members_) member.counted = {};
  left_to_kernel_ = false;
  if (slots_.empty()) return apply(now);
  placement::Request request = plan_.request;
  request.workers = static_cast<int>(slots_.size());
  request.share_cores = true;
  const auto place = [&] {
    auto next = std::make_unique<binding::PlacementGeneration>(
        binding::make_generation({plan_.machine, plan_.spec, request, plan_.machine.allowed_cpus,
                                  placement::quiet_cpus(plan_.machine, busy(), request.workers, request.smt),
                                  std::vector<WorkerCore>(slots_.size())}));
    if (!next->fallback.empty()) trouble_ = next->fallback;
    next->number = number;
    tally_.shared = tally_.shared || next->shared;
    return next;
  };
  if (!first) ++tally_.placements;
  generation_ = place();
  keep_places();
  make_control_group(now);
  if (stands_by_memory()) {
    standing_ = standing();
    request.sockets = standing_.sockets;
    request.spread = standing_.spread;
    generation_ = place();
    left_to_kernel_ = kernel_suffices();
    explain_standing();
  }
  apply(now);
}

void ThreadPlacer::avoid(double now) {
  if (!generation_ || generation_->shared || serial() || left_to_kernel_ || !others_.may_avoid(now)) return;
  const auto better = [&] {
    std::vector<int> worker_cores;
    for (std::size_t s = 0; s < slots_.size(); ++s)
      worker_cores.push_back(
          generation_->placement.lookup(static_cast<int>(s), generation_->spread_of(static_cast<int>(s))).cpu);
    return placement::quieter_elsewhere(plan_.machine, busy(), worker_cores, plan_.request.smt);
  };
  if (!better()) return;
  renew(now);
  // If the policy refuses the quiet cpus alone, the placement stays as it is.
  const bool in_vain = better();
  others_.avoided(now, in_vain);
  if (!in_vain) ++tally_.avoided;
}

/// None where the placement has one level only, or where nothing is counted.
void ThreadPlacer::make_control_group(double now) {
  uncounted_ = false;
  if (serial() || generation_->shared) return;
  work_.begin(system_, now);
  if (plan_.by_kernel) {
    uncounted_ = true;
    return;
  }
  if (!binding::has_choice(plan_.spec, generation_->placement)) return look_for_counters();
  if (given_up_ && !work_.counts()) {
    uncounted_ = true;
    return explain_standing();
  }
  for (Slot& slot : slots_) {
    if (!slot.taken()) continue;
    Member& member = members_.at(slot.thread);
    if (!member.counters) member.counters = system_.counters(slot.thread);
    if (!member.counters && !work_.counts()) {
      uncounted_ = true;
      explain_standing();
      return;
    }
  }
  if (std::exchange(standing_explained_, false)) trouble_.clear();
  generation_->control_group =
      binding::make_control_group(plan_.spec, plan_.machine, generation_->placement, now - started_);
  next_tick_ = now;
}

/// Where this many workers leave no choice of levels, on as few sockets as hold them, there may be one on all sockets.
void ThreadPlacer::look_for_counters() {
  if (!plan_.spec.starts_with("adaptive") || plan_.machine.sockets.size() < 2 || work_.counts()) return;
  const auto slot = std::find_if(slots_.begin(), slots_.end(), [](const Slot& each) { return each.taken(); });
  uncounted_ = given_up_ || (slot != slots_.end() && system_.counters(slot->thread) == nullptr);
}

/// Whether the level follows from the program's memory. Whoever asks for a spread, or for the paper's algorithm, has
/// it.
bool ThreadPlacer::stands_by_memory() const {
  return generation_ && uncounted_ && !generation_->control_group && !serial() && !generation_->shared &&
         plan_.request.spread == 0 && plan_.spec.starts_with("adaptive") && plan_.machine.chiplets.size() > 1;
}

placement::Standing ThreadPlacer::standing() {
  placement::Request request = plan_.request;
  request.workers = static_cast<int>(slots_.size());
  return placement::standing_for(plan_.machine, request, system_.resident_bytes());
}

/// A standing level without signals. A program that grows or shrinks is moved as soon as two looks in a row agree.
void ThreadPlacer::stand(double now) {
  if (!stands_by_memory()) return;
  const placement::Standing seen = standing();
  const placement::Standing before = std::exchange(seen_standing_, seen);
  if (seen == before && seen != standing_) renew(now);
}

/// Of several processes each would be gathered somewhere, and nothing keeps these places apart.
bool ThreadPlacer::kernel_suffices() {
  const auto other = std::find_if(slots_.begin(), slots_.end(), [&](const Slot& slot) {
    return slot.taken() && slot.thread.process != slots_.front().thread.process;
  });
  return other == slots_.end() && kernel_would_gather(plan_.machine, static_cast<int>(slots_.size()), standing_) &&
         system_.gathers();
}

void ThreadPlacer::explain_standing() {
  standing_explained_ = true;
  if (left_to_kernel_) {
    trouble_ = "the kernel gathers " + std::to_string(slots_.size()) +
               " threads of a process on one cache by itself (cache-aware scheduling), as '" + plan_.policy() +
               "' would: they are left to it";
    return;
  }
  if (plan_.by_kernel) return trouble_.clear();
  trouble_ =
      std::string(given_up_ ? "counters of its threads tell nothing, or would take more than .5 % of their time, "
                              "since they switch so often"
                            : "there are no counters of its threads") +
      ", and nothing else shows how fast it is: '" + plan_.spec + "' stands at " +
      std::to_string(generation_->spread()) + " chiplets" +
      (stands_by_memory() ? ", by the memory that it holds; --progress or --metric would let it try others" : "");
}

/// The chiplets of the workers.
CpuSet ThreadPlacer::helper_cpus() const {
  ChipletSet chiplets;
  for (const Slot& slot : slots_) {
    if (!slot.taken()) continue;
    const auto member = members_.find(slot.thread);
    if (member != members_.end() && member->second.worker_core.chiplet >= 0)
      chiplets.insert(member->second.worker_core.chiplet);
  }
  if (chiplets.empty() || plan_.bind == base::Bind::none) return plan_.cpus;
  CpuSet cpus;
  for (const int chiplet : chiplets) cpus |= binding::cpus_of_chiplet(plan_.machine, chiplet);
  return cpus & plan_.cpus;
}

void ThreadPlacer::apply(double now) {
  if (serial() || left_to_kernel_) return release_all();
  if (generation_) place_workers();
  const CpuSet cpus = helper_cpus();
  for (auto& [id, member] : members_) {
    if (member.slot >= 0 || member.alone || member.gone) continue;
    unplace(id, member, now - member.found >= grown_up_s ? cpus : plan_.cpus);
  }
}

/// One worker roams. The kernel finds one busy thread a core, and moves it away from busy ones, as well as we would.
void ThreadPlacer::release_all() {
  waits_ = false;
  for (auto& [id, member] : members_) {
    if (member.alone || member.gone) continue;
    member.worker_core = {};
    unplace(id, member, plan_.cpus);
  }
}

void ThreadPlacer::place_workers() {
  using binding::Bind;
  const bool shared = generation_->shared;
  const Bind asked = plan_.bind;
  const Bind mode = shared && asked != Bind::none ? Bind::chiplet : asked;  // a core each, while there are enough
  struct Waiting {
    ThreadId id;
    Member* member;
    CpuSet mask, floating;
  };
  std::vector<Waiting> waiting;
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    if (!slots_[s].taken()) continue;
    Member& member = members_.at(slots_[s].thread);
    if (member.alone) continue;
    const int worker = static_cast<int>(s);
    const WorkerCore& worker_core = generation_->placement.lookup(worker, generation_->spread_of(worker));
    if (member.worker_core.chiplet >= 0 && worker_core.chiplet >= 0 &&
        member.worker_core.chiplet != worker_core.chiplet)
      ++tally_.moves;
    member.worker_core = worker_core;
    CpuSet mask = binding::mask_for(plan_.machine, worker_core, mode, plan_.cpus);
    if (mask.empty()) {
      unplace(slots_[s].thread, member, plan_.cpus);
      continue;
    }
    if (!member.binder)
      member.binder = std::make_unique<binding::ThreadBinder>(claims_, next_binder_++, binder_patience);
    waiting.push_back(
        {slots_[s].thread, &member, std::move(mask), binding::floating_mask(plan_.machine, worker_core, plan_.cpus)});
  }
  // In each round a worker is placed, or one that holds a core that another needs begins to float.
  for (std::size_t round = 0; !waiting.empty() && round < 2 * slots_.size() + 8; ++round) {
    std::erase_if(waiting, [&](const Waiting& one) {
      Member& member = *one.member;
      const int cpu = member.worker_core.cpu;
      const auto state = member.binder->place({cpu, shared, one.mask, one.floating},
                                              [&](const CpuSet& cpus) { return bind(one.id, member, cpus); });
      // A worker that holds the cpu already was refused the mask; it would be refused again.
      return state == binding::ThreadBinder::State::placed || member.gone || member.alone || shared ||
             member.binder->claimed() == cpu;
    });
  }
  // A worker may wait for the core of a thread that the kernel does not bind elsewhere; that is tried again later.
  waits_ = !waiting.empty();
}

/// Takes the core from a thread that is no worker, or no longer one, so that others can have it.
void ThreadPlacer::unplace(const ThreadId& id, Member& member, const CpuSet& cpus) {
  if (member.binder) {
    member.binder->unplace(cpus, [&](const CpuSet& mask) { return bind(id, member, mask); });
  } else {
    bind(id, member, cpus);
  }
}

bool ThreadPlacer::has_left(const CpuSet& cpus) const {
  return std::all_of(cpus.begin(), cpus.end(), [&](int cpu) {
    return cpu >= claims_.cpus() || claims_.owner(cpu) == placement::CpuClaims::free_cpu;
  });
}

bool ThreadPlacer::bind(const ThreadId& id, Member& member, const CpuSet& cpus) {
  if (member.set == cpus && !member.asked_anew) return true;
  if (system_.mask(id) != member.set && !check_mask(id, member)) return false;  // the program's masks stay
  const int error = system_.bind(id, cpus);
  if (error == ESRCH) {
    member.gone = true;
    return false;
  }
  if (error != 0) {
    ++tally_.refused;
    trouble_ = "the kernel refused to bind a thread to cpu " + cpus.to_text();
    return false;
  }
  ++tally_.masks;
  member.asked_anew = false;
  member.set = cpus;
  origin_.has(id.process, id.thread, cpus, false, now_);
  return true;
}

}  // namespace charm::attach
