// Seating: which thread has which slot, the placement for as many as there are, and the masks that follow from it (A1,
// A2 in adopt/adopter.hpp).
#include <charm/error.hpp>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "adopt/adopter.hpp"
#include "controller/policy.hpp"
#include "os/cpu_list.hpp"
#include "placement/quiet.hpp"

namespace charm::adopt {
namespace {

constexpr double grown_up_s = 1;  // until then nobody knows what a thread will be
constexpr double spare_s = 1;     // that a seat is kept for a worker that has gone to sleep
constexpr std::size_t most_past = 4096;
constexpr double never = -1;
constexpr double evasion_s = 5;    // between two placements that are made for the sake of quiet
constexpr double patience_s = 60;  // where that has changed nothing

}  // namespace

void Adopter::vacate(Slot& slot) {
  if (!slot.taken()) return;
  if (const auto member = members_.find(slot.thread); member != members_.end()) {
    member->second.slot = -1;
    member->second.counters.reset();
    if (!member->second.alone && !member->second.gone) bind(member->first, member->second, plan_.cpus);
    member->second.holder.reset();
    if (member->second.gone) members_.erase(member);
  }
  slot.thread = {};
}

void Adopter::assign(double now) {
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
    spare_since_ = never;
  } else if (spare_since_ < 0) {
    spare_since_ = now;
  } else if (now - spare_since_ >= spare_s) {
    // The last ones come forward, so that few move.
    for (std::size_t s = 0; s < slots_.size(); ++s) {
      while (!slots_.empty() && !slots_.back().taken()) slots_.pop_back();
      if (s >= slots_.size() || slots_[s].taken()) continue;
      slots_[s].thread = slots_.back().thread;
      members_.at(slots_[s].thread).slot = static_cast<int>(s);
      slots_.pop_back();
    }
    spare_since_ = never;
  }
  if (slots_.size() != (epoch_ ? epoch_->placement.start().size() : 0)) {
    renew(now);
  } else if (changed) {
    if (epoch_ && !epoch_->gang) make_gang(now);
    apply(now);
  } else {
    // Threads grow up.
    const std::vector<int> cpus = helper_cpus();
    for (auto& [id, member] : members_) {
      if (member.slot < 0 && !member.alone && !member.gone && now - member.found >= grown_up_s) bind(id, member, cpus);
    }
  }
}

void Adopter::renew(double now) {
  past_ = decisions();
  if (past_.size() > most_past) past_.erase(past_.begin(), past_.end() - most_past);
  const int number = epoch_ ? epoch_->number + 1 : 1;
  const bool first = !epoch_;
  epoch_.reset();
  for (Slot& slot : slots_) slot.counts = {};
  for (auto& [id, member] : members_) member.told = {};
  if (slots_.empty()) return apply(now);
  placement::Request request = plan_.request;
  request.workers = static_cast<int>(slots_.size());
  const std::vector<Seat> home(slots_.size());
  auto next = std::make_unique<sched::Epoch>();
  const std::vector<int>& all = plan_.machine.allowed_cpus;
  const std::vector<int> quiet = placement::quiet_cpus(plan_.machine, loud(), request.workers, request.smt);
  auto made = [&](const std::string& spec, const std::vector<int>& cpus) {
    try {
      *next = sched::make_epoch(spec, plan_.machine, request, cpus, true, home);
      return true;
    } catch (const Error& refused) {  // Algorithm 2 refuses some machines
      if (cpus == all) trouble_ = std::string(refused.what()) + ": placed as 'local' instead";
      return false;
    }
  };
  if (!made(plan_.spec, quiet) && !made(plan_.spec, all)) made("local", all);
  next->number = number;
  tally_.shared = tally_.shared || next->shared;
  if (!first) ++tally_.placements;
  epoch_ = std::move(next);
  make_gang(now);
  apply(now);
}

void Adopter::evade(double now) {
  if (!epoch_ || epoch_->shared || loud().empty() || now < next_evasion_) return;
  const auto better = [&] {
    std::vector<int> seats;
    for (std::size_t s = 0; s < slots_.size(); ++s)
      seats.push_back(epoch_->placement.lookup(static_cast<int>(s), epoch_->spread()).cpu);
    return placement::quieter_elsewhere(plan_.machine, loud(), seats, plan_.request.smt);
  };
  if (!better()) return;
  renew(now);
  // A policy that refuses the quiet cpus alone stands where it stood.
  const bool in_vain = better();
  next_evasion_ = now + (in_vain ? patience_s : evasion_s);
  if (!in_vain) ++tally_.evaded;
}

/// Only where there is something to decide and something to decide it by.
void Adopter::make_gang(double now) {
  if (epoch_->shared || epoch_->placement.levels.size() < 2 || !controller::moves(plan_.spec)) return;
  for (Slot& slot : slots_) {
    if (!slot.taken()) continue;
    Member& member = members_.at(slot.thread);
    if (!member.counters) member.counters = system_.counters(slot.thread);
    if (!member.counters) {
      trouble_ = "there are no counters of its threads, and nothing else tells how fast it is: '" + plan_.spec +
                 "' stands at " + std::to_string(epoch_->placement.levels[0]) + " chiplets";
      return;
    }
  }
  controller::Setup setup = controller::setup_for(plan_.machine, epoch_->placement);
  const controller::Traits traits = setup.traits;
  auto make = [spec = plan_.spec, setup = std::move(setup)] { return controller::make_controller(spec, setup); };
  epoch_->gang = std::make_unique<controller::Gang>(static_cast<int>(slots_.size()), make, now - started_, traits);
  next_tick_ = now;
}

template <class F>
std::vector<int> Adopter::cpus_where(F&& wanted) const {
  std::vector<int> cpus;
  for (const Core& core : plan_.machine.cores) {
    if (wanted(core)) cpus.insert(cpus.end(), core.siblings.begin(), core.siblings.end());
  }
  std::sort(cpus.begin(), cpus.end());
  return os::in_both(cpus, plan_.cpus);
}

std::vector<int> Adopter::worker_cpus(const Seat& seat) const {
  if (seat.cpu < 0 || plan_.bind == "none") return plan_.cpus;
  if (plan_.bind == "node" && !epoch_->shared)
    return cpus_where([&](const Core& core) { return core.node == seat.node; });
  if (plan_.bind == "chiplet" || epoch_->shared)
    return cpus_where([&](const Core& core) { return core.chiplet == seat.chiplet; });
  return {seat.cpu};
}

/// The chiplets that workers sit on.
std::vector<int> Adopter::helper_cpus() const {
  std::set<int> chiplets;
  for (const Slot& slot : slots_) {
    if (!slot.taken()) continue;
    const auto member = members_.find(slot.thread);
    if (member != members_.end() && member->second.seat.cpu >= 0) chiplets.insert(member->second.seat.chiplet);
  }
  if (chiplets.empty() || plan_.bind == "none") return plan_.cpus;
  return cpus_where([&](const Core& core) { return chiplets.contains(core.chiplet); });
}

void Adopter::apply(double now) {
  if (epoch_) {
    stood_at_ = epoch_->spread();
    seat_workers(stood_at_);
  }
  const std::vector<int> cpus = helper_cpus();
  for (auto& [id, member] : members_) {
    if (member.slot >= 0 || member.alone || member.gone) continue;
    bind(id, member, now - member.found >= grown_up_s ? cpus : plan_.cpus);
  }
}

void Adopter::seat_workers(int spread) {
  std::vector<std::map<ThreadId, Member>::iterator> waiting;
  for (std::size_t s = 0; s < slots_.size(); ++s) {
    if (!slots_[s].taken()) continue;
    const auto found = members_.find(slots_[s].thread);
    Member& member = found->second;
    const Seat& seat = epoch_->placement.lookup(static_cast<int>(s), spread);
    if (member.seat.chiplet >= 0 && seat.chiplet >= 0 && member.seat.chiplet != seat.chiplet) ++tally_.moves;
    member.seat = seat;
    const bool alone_on_cpu = seat.cpu >= 0 && seat.cpu < claims_.cpus() && !epoch_->shared && plan_.bind != "none";
    if (alone_on_cpu) {
      if (!member.holder) member.holder = std::make_unique<placement::SeatHolder>(claims_, next_holder_++, 3);
      waiting.push_back(found);
    } else {
      bind(found->first, member, worker_cpus(seat));
      member.holder.reset();
    }
  }
  // Each round seats somebody, or lets somebody float who stood in another's way.
  for (std::size_t round = 0; !waiting.empty() && round < 2 * slots_.size() + 8; ++round) {
    std::erase_if(waiting, [&](const auto& found) {
      Member& member = found->second;
      const std::vector<int> cpus = worker_cpus(member.seat);
      if (member.holder->held() == member.seat.cpu) return bind(found->first, member, cpus), true;
      const auto state = member.holder->sit(
          member.seat.cpu, [&](int) { return bind(found->first, member, cpus); },
          [&] {  // near the seat, but not on it: it is still another's
            std::vector<int> near = cpus_where([&](const Core& core) { return core.chiplet == member.seat.chiplet; });
            std::erase(near, member.seat.cpu);
            return bind(found->first, member, near.size() > 1 ? near : plan_.cpus) || member.gone;
          });
      return member.gone || state == placement::SeatHolder::State::seated;
    });
  }
}

bool Adopter::bind(const ThreadId& id, Member& member, const std::vector<int>& cpus) {
  if (member.set == cpus) return true;
  const int error = system_.bind(id, cpus);
  if (error == ESRCH) {
    member.gone = true;
    return false;
  }
  if (error != 0) {
    ++tally_.refused;
    trouble_ = "the kernel refused to bind a thread to cpu " + os::format_cpu_list(cpus);
    return false;
  }
  ++tally_.masks;
  member.set = cpus;
  know(cpus);
  return true;
}

}  // namespace charm::adopt
