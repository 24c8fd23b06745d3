// Where a worker sits: it follows the seat of the spread, binds itself and its fresh pages there, and notices when the
// cpus that the process may use change (S1 and S2 in sched/steering.hpp; the judgement is os/cpu_watch.hpp's).
#include <charm/error.hpp>

#include <algorithm>
#include <utility>

#include "base/notices.hpp"
#include "os/cpu_list.hpp"
#include "os/thread_memory.hpp"
#include "sched/request.hpp"
#include "sched/runtime.hpp"
#include "sched/steering.hpp"
#include "sched/worker.hpp"

namespace charm::sched {

void Steering::follow(Worker& worker, Pilot& p, const Epoch& epoch, int spread) {
  const Seat* seat = epoch.seat(worker.id, spread);
  if (seat == nullptr) return rest(worker, p, epoch);
  const std::vector<int>& cpus = mask_of(p, *seat, epoch);
  auto bound = [&] {
    const Pilot::Thread& t = thread(worker);
    return t.checked == epoch.number && t.mask.bound && t.mask.set == cpus &&
           (epoch.shared || seat->cpu >= claims_.cpus() || p.holder.held() == seat->cpu);
  };
  const bool there = *seat == worker.seat && !rests(worker) && (cpus.empty() || bound());
  if (!there) return sit(worker, p, epoch, *seat);
  p.seated = epoch.number;
}

/// One attempt; where the cpu is still another's, the next poll tries again.
void Steering::sit(Worker& worker, Pilot& p, const Epoch& epoch, const Seat& seat) {
  const std::vector<int>& cpus = mask_of(p, seat, epoch);
  if (!cpus.empty() && surprised(worker, p)) return;
  if (p.resting.exchange(false, std::memory_order_seq_cst)) resting_.fetch_sub(1, std::memory_order_seq_cst);
  Pilot::Thread& t = thread(worker);
  if (!cpus.empty()) {
    bool bound = false;
    p.shares = epoch.shared || seat.cpu >= claims_.cpus();
    if (p.shares) {
      p.holder.leave();
      bound = bind(t, cpus);
    } else if (p.holder.held() == seat.cpu) {  // it has the cpu, but this thread does not sit there
      bound = bind(t, cpus);
    } else {
      auto float_around = [&] {  // near the seat, but not on it: it is still another's
        std::vector<int> mask = os::in_both(runtime_.cpus_of_chiplet(seat.chiplet), epoch.cpus);
        std::erase(mask, seat.cpu);
        return bind(t, mask.empty() ? epoch.cpus : mask);
      };
      bound = p.holder.sit(
                  seat.cpu, [&](int) { return bind(t, cpus); }, float_around) == placement::SeatHolder::State::seated;
    }
    if (!bound) {
      p.next_poll = 0;
      return;
    }
    t.checked = epoch.number;
  }
  p.seated = epoch.number;
  place_memory(t, seat);
  if (seat == worker.seat) return;
  worker.take_seat(seat);
}

/// There are fewer cpus than workers, and this one has none of its own.
void Steering::rest(Worker& worker, Pilot& p, const Epoch& epoch) {
  if (!p.resting.exchange(true, std::memory_order_seq_cst)) resting_.fetch_add(1, std::memory_order_seq_cst);
  Pilot::Thread& t = thread(worker);
  if (cpus_ && runtime_.bind != Bind::none && t.checked != epoch.number) {
    if (surprised(worker, p)) return;
    // The cpus have changed again, and there will be another epoch: bound to its cpu as it still is, it keeps that.
    if (!bind(t, epoch.cpus)) return;
    t.checked = epoch.number;
  }
  p.holder.leave();
}

/// What the mode binds a worker with this seat to, as far as it is allowed. The seat's own cpu always is.
const std::vector<int>& Steering::mask_of(Pilot& p, const Seat& seat, const Epoch& epoch) const {
  if (p.mask.epoch == epoch.number && p.mask.seat == seat) return p.mask.cpus;
  std::vector<int> cpus = cpus_ ? runtime_.cpus_of(seat) : std::vector<int>();
  if (!cpus.empty() && runtime_.bind != Bind::core) {
    std::vector<int> allowed = os::in_both(cpus, epoch.cpus);
    cpus = seat.core < 0 || allowed.empty() ? std::vector<int>{seat.cpu} : std::move(allowed);
  }
  p.mask = {epoch.number, seat, std::move(cpus)};
  return p.mask.cpus;
}

/// Whether the thread's mask is not as it left it. Then somebody has set it, which must be understood before it is
/// overwritten: the next poll looks at it first. So it does for a thread that has never looked: what its mask should be
/// is not what the process came with, if somebody has set masks since.
bool Steering::surprised(Worker& worker, Pilot& p) {
  if (look_interval_ <= 0) return false;
  Pilot::Thread& t = thread(worker);
  const std::vector<int> mask = cpus_->mask();
  if (mask.empty() || mask == t.mask.found || mask == t.mask.set) return false;
  p.next_poll = t.next_look = 0;
  worker.until_boundary = 1;
  return true;
}

bool Steering::bind(Pilot::Thread& t, const std::vector<int>& cpus) {
  if (!cpus_->bind(cpus)) {
    base::notice("bind", "the kernel refused to bind a worker to cpu " + os::format_cpu_list(cpus) + "; it floats");
    return false;
  }
  t.mask.set = t.mask.found = cpus;
  t.mask.bound = true;
  return true;
}

void Steering::place_memory(Pilot::Thread& t, const Seat& seat) {
  const std::string& wish = runtime_.settings.memory_policy;
  if (wish == "none" || !runtime_.machine.is_live() || runtime_.machine.nodes.size() < 2 || seat.node < 0) return;
  if (t.memory_node == -1 || t.memory_node == seat.node) return;
  if (t.memory_node == -2 && !os::has_default_memory_policy()) {
    t.memory_node = -1;
    base::notice("memory_policy",
                 "a memory policy was set from outside and is kept; new pages do not follow the workers");
    return;
  }
  const auto policy = wish == "bind" ? os::MemoryPolicy::bind : os::MemoryPolicy::preferred;
  if (!os::set_memory_node(policy, runtime_.machine.nodes[static_cast<std::size_t>(seat.node)].os_index)) {
    base::notice("memory_policy", "the kernel refused a memory policy; new pages come from where a worker runs first");
    t.memory_node = -1;
    return;
  }
  t.memory_node = seat.node;
}

void Steering::look(Worker& worker, Pilot& p, double time) {
  Pilot::Thread& t = thread(worker);
  std::unique_lock lock(mutex_, std::defer_lock);
  if (t.checked < 0) {
    lock.lock();  // its first look: what it runs before it would run unbound
  } else if (!lock.try_lock()) {
    p.next_poll = 0;
    return;
  }
  t.next_look = time + look_interval_;
  if (time >= next_granted_) {
    granted_ = cpus_->granted();
    next_granted_ = time + look_interval_;
  }
  std::vector<int> found = cpus_->mask();
  if (!allowed_.explains(found, t.mask, granted_)) {
    // Both are needed as of one moment: a mask that does not fit may only be newer than the grant.
    granted_ = cpus_->granted();
    found = cpus_->mask();
    if (cpus_->granted() != granted_) {
      p.next_poll = t.next_look = 0;  // it is changing just now
      return;
    }
  }
  const std::vector<int> allowed = allowed_.judge(found, t.mask, granted_);
  // What was set last is kept: the kernel remembers it, too, and returns to it when a cpuset grows again.
  if (found != t.mask.set) t.mask.bound = false;
  if (!allowed.empty()) use(allowed, time);
}

/// Under mutex_.
void Steering::use(const std::vector<int>& allowed, double time) {
  const bool changed = allowed != usable_;
  usable_ = allowed;
  std::vector<int> cpus = leased_ ? os::in_both(allowed, *leased_) : allowed;
  if (cpus.empty()) cpus = allowed;
  if (cpus == epochs_.back()->cpus) return;
  renew(cpus, time, changed || !leased_ ? "the process may use" : "of the shared machine it has");
}

void Steering::lease(const std::vector<int>& cpus) {
  const std::lock_guard lock(mutex_);
  leased_ = cpus;
  use(std::vector<int>(usable_), now());
}

bool Steering::has_left(const std::vector<int>& cpus) const {
  const int number = epoch_number_.load(std::memory_order_seq_cst);
  return std::all_of(pilots_.begin(), pilots_.end(),
                     [&](const auto& each) { return each->epoch.load(std::memory_order_seq_cst) == number; }) &&
         std::all_of(cpus.begin(), cpus.end(), [&](int cpu) {
           return cpu >= claims_.cpus() || claims_.owner(cpu) == placement::CpuClaims::free_cpu;
         });
}

/// Makes `cpus` the new epoch. Under mutex_. \param why says whose cpus they are.
void Steering::renew(const std::vector<int>& cpus, double time, const std::string& why) {
  const Epoch& old = *epochs_.back();
  placement::Request request = request_for(runtime_.machine, runtime_.settings);
  request.workers = static_cast<int>(pilots_.size());
  const bool share = runtime_.settings.surplus == "share";
  auto next = std::make_unique<Epoch>();
  try {
    *next = make_epoch(spec_, runtime_.machine, request, cpus, share, runtime_.placement.start());
  } catch (const Error&) {  // Algorithm 2 refuses some machines
    *next = make_epoch("local", runtime_.machine, request, cpus, share, runtime_.placement.start());
  }
  next->number = old.number + 1;
  if (next->seated > 0 && decides_)
    next->gang = make_gang(next->placement, static_cast<int>(next->placement.start().size()), time);
  if (old.gang) {
    for (Decision& open : old.gang->pending()) {
      open.outcome = "broken off, the cpus changed";
      tell(open);
    }
  }
  for (Region& region : regions_) region.gang_ticket = next->gang ? next->gang->enter(region.name) : 0;

  Decision decision;
  decision.time = time;
  decision.from = old.spread();
  decision.to = next->spread();
  decision.reason = why + " cpus " + os::format_cpu_list(cpus) + " now, and not " + os::format_cpu_list(old.cpus);
  const int left_over = static_cast<int>(pilots_.size()) - next->seated;
  decision.outcome = left_over <= 0 ? "a cpu for each worker"
                                    : std::to_string(left_over) + " of " + std::to_string(pilots_.size()) +
                                          (next->shared ? " workers share a cpu with others" : " workers rest");
  tell(decision);
  current_.store(next.get(), std::memory_order_seq_cst);
  epoch_number_.store(next->number, std::memory_order_seq_cst);
  epochs_.push_back(std::move(next));
  std::erase_if(epochs_, [this](const std::unique_ptr<Epoch>& epoch) {
    if (epoch == epochs_.back()) return false;
    return std::none_of(pilots_.begin(), pilots_.end(), [&](const std::unique_ptr<Pilot>& pilot) {
      return pilot->looking.load(std::memory_order_seq_cst) == epoch.get();
    });
  });
  runtime_.wake_all();
}

}  // namespace charm::sched
