// How a worker is bound: it follows the core that the spread gives it, binds itself and its new pages there, and
// notices when the cpus that the process may use change (the rules are in sched/control/steering.hpp;
// os/threads/cpu_watch.hpp judges what a changed mask means).
#include <charm/error.hpp>

#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "base/notices.hpp"
#include "binding/masks.hpp"
#include "binding/request.hpp"
#include "os/memory/thread_memory.hpp"
#include "sched/control/steering.hpp"
#include "sched/run/oversubscription.hpp"
#include "sched/run/runtime.hpp"
#include "sched/run/worker.hpp"

namespace charm::sched {

void Steering::follow(Worker& worker, WorkerControl& p, const PlacementGeneration& generation, int spread) {
  const bool narrow = widths_ && p.narrow.load(std::memory_order_seq_cst) == generation.number;
  p.narrowed.store(narrow, std::memory_order_relaxed);
  const WorkerCore* worker_core = generation.worker_core(worker.id, spread);
  if (worker_core == nullptr) return lose_cpu(worker, p, generation);
  const WorkerControl::Mask& mask = mask_of(p, *worker_core, generation);
  auto bound = [&] {
    const WorkerControl::Thread& t = thread(worker);
    return t.checked == generation.number && t.mask.bound && t.mask.set == mask.cpus &&
           p.binder.is_on(worker_core->cpu, mask.shared);
  };
  const bool has_cpu = rest(worker) != Rest::no_cpu;
  const bool there = *worker_core == worker.worker_core() && has_cpu && (mask.cpus.empty() || bound());
  if (!there) return place(worker, p, generation, *worker_core);
  p.placed = generation.number;
  let_rest(p, narrow ? Rest::by_width : Rest::none);
}

/// One attempt; if another worker still has the cpu, the next poll tries again.
void Steering::place(Worker& worker, WorkerControl& p, const PlacementGeneration& generation,
                     const WorkerCore& worker_core) {
  const WorkerControl::Mask& mask = mask_of(p, worker_core, generation);
  if (!mask.cpus.empty() && surprised(worker, p)) return;
  let_rest(p, p.narrowed.load(std::memory_order_relaxed) ? Rest::by_width : Rest::none);
  WorkerControl::Thread& t = thread(worker);
  if (!mask.cpus.empty()) {
    const auto state = p.binder.place({worker_core.cpu, mask.shared, mask.cpus, mask.floating},
                                      [&](const CpuSet& cpus) { return bind(t, cpus); });
    if (state != binding::ThreadBinder::State::placed) {
      p.next_poll = 0;
      return;
    }
    t.checked = generation.number;
  }
  p.placed = generation.number;
  place_memory(t, worker_core);
  if (worker_core == worker.worker_core()) return;
  worker.move_to(worker_core);
}

/// Binds a worker without a core of its own, if there are fewer cpus than workers.
void Steering::lose_cpu(Worker& worker, WorkerControl& p, const PlacementGeneration& generation) {
  let_rest(p, Rest::no_cpu);
  WorkerControl::Thread& t = thread(worker);
  if (!cpus_ || runtime_.settings.bind == binding::Bind::none || t.checked == generation.number)
    return p.binder.forget();
  if (surprised(worker, p)) return;
  // A refusal says that the cpus have changed again: there will be another generation, and it keeps its cpu until then.
  if (p.binder.unplace(generation.cpus, [&](const CpuSet& cpus) { return bind(t, cpus); }))
    t.checked = generation.number;
}

void Steering::let_rest(WorkerControl& p, Rest rest) noexcept {
  const bool rested = p.rest.exchange(rest, std::memory_order_seq_cst) != Rest::none;
  const bool rests = rest != Rest::none;
  if (rested != rests) resting_.fetch_add(rests ? 1 : -1, std::memory_order_seq_cst);
}

const WorkerControl::Mask& Steering::mask_of(WorkerControl& p, const WorkerCore& worker_core,
                                             const PlacementGeneration& generation) const {
  const bool loose = p.loose_until > 0 && runtime_.settings.bind == binding::Bind::core && !generation.shared;
  if (p.mask.generation == generation.number && p.mask.worker_core == worker_core && p.mask.loose == loose)
    return p.mask;
  p.mask = {generation.number, worker_core, generation.shared, loose, {}, {}};
  if (!cpus_) return p.mask;
  const binding::Bind bind = loose ? binding::Bind::chiplet : runtime_.settings.bind;
  p.mask.cpus = binding::mask_for(runtime_.machine, worker_core, bind, generation.cpus);
  p.mask.floating = binding::floating_mask(runtime_.machine, worker_core, generation.cpus);
  return p.mask;
}

/// Whether the thread's mask is not the one that it set last. Then the user has set it from outside, and the next poll
/// judges the mask before it is overwritten. The same holds for a thread that has never read its mask: if the user has
/// set masks since the start, the expected mask is not the one that the process came with.
bool Steering::surprised(Worker& worker, WorkerControl& p) {
  if (look_interval_ <= 0) return false;
  WorkerControl::Thread& t = thread(worker);
  const CpuSet mask = cpus_->mask();
  if (mask.empty() || mask == t.mask.found || mask == t.mask.set) return false;
  p.next_poll = t.next_look = 0;
  worker.until_boundary = 1;
  return true;
}

bool Steering::bind(WorkerControl::Thread& t, const CpuSet& cpus) {
  if (&t == &controls_.front()->guest && !t.own_mask) t.own_mask = cpus_->mask();
  if (!cpus_->bind(cpus)) {
    base::notice("bind", "the kernel refused to bind a worker to cpu " + cpus.to_text() + "; it floats");
    return false;
  }
  t.mask.set = t.mask.found = cpus;
  t.mask.bound = true;
  return true;
}

/// Where somebody has set the guest's mask while it was bound, that is its mask now: the next look judges it.
void Steering::give_mask_back(WorkerControl::Thread& guest) {
  const CpuSet own = std::exchange(guest.own_mask, std::nullopt).value_or(CpuSet());
  guest.mask.bound = false;
  guest.checked = -1;
  const CpuSet found = cpus_->mask();
  if (!found.empty() && found != guest.mask.set) {
    const std::lock_guard lock(mutex_);
    granted_ = cpus_->granted();
    if (!allowed_.explains(found, guest.mask, granted_)) return;
  }
  for (const CpuSet& mask :
       {own, wanted_cpus(), runtime_.machine.allowed_cpus}) {  // its own mask may have become empty
    if (mask.empty() || !cpus_->bind(mask)) continue;
    guest.mask.set = guest.mask.found = mask;
    return;
  }
}

void Steering::leave_guest() noexcept {
  if (runtime_.settings.caller_mask == base::CallerMask::worker) return;
  WorkerControl::Thread& guest = controls_.front()->guest;
  if (guest.own_mask) give_mask_back(guest);
  if (guest.memory_node < 0) return;
  os::reset_memory_policy();
  guest.memory_node = -2;
}

void Steering::release_guest() noexcept {
  WorkerControl::Thread& guest = controls_.front()->guest;
  guest.counters.reset();
  if (guest.own_mask) give_mask_back(guest);
  if (guest.memory_node >= 0) os::reset_memory_policy();
}

void Steering::place_memory(WorkerControl::Thread& t, const WorkerCore& worker_core) {
  const base::WorkerMemory wish = runtime_.settings.memory_policy;
  if (wish == base::WorkerMemory::none || !runtime_.machine.is_live() || runtime_.machine.nodes.size() < 2 ||
      worker_core.node < 0)
    return;
  if (t.memory_node == -1 || t.memory_node == worker_core.node) return;
  if (t.memory_node == -2 && !os::has_default_memory_policy()) {
    t.memory_node = -1;
    base::notice("memory_policy",
                 "a memory policy was set from outside and is kept; new pages do not follow the workers");
    return;
  }
  const auto policy = wish == base::WorkerMemory::bind ? os::MemoryPolicy::bind : os::MemoryPolicy::preferred;
  if (!os::set_memory_policy(policy, {runtime_.machine.nodes[static_cast<std::size_t>(worker_core.node)].os_index})) {
    base::notice("memory_policy", "the kernel refused a memory policy; new pages come from where a worker runs first");
    t.memory_node = -1;
    return;
  }
  t.memory_node = worker_core.node;
}

/// Where other programs keep a worker off its core it may use its whole chiplet for some seconds, so that the kernel
/// can move it: tied to cores that others use, workers that wait for each other's locks lose their turns one after the
/// other.
void Steering::watch_others(WorkerControl& p, WorkerControl::Thread& t, double time) {
  constexpr double much_waiting = 0.25, lasts_s = 3, between_s = 0.09;
  constexpr std::uint64_t enough_ns = 50'000'000;
  if (time < t.next_seen || !runtime_.machine.is_live()) return;  // on paper they share this machine's few cpus
  t.next_seen = time + between_s;
  // Not kept open: a descriptor for each worker would be a tenth of all that programs usually have.
  const auto times = os::ThreadClock("/proc/thread-self/schedstat").read();
  if (!times) return;
  const os::ThreadTime before = std::exchange(t.seen, *times);
  const std::uint64_t waited = times->wait_ns - before.wait_ns, wanted = waited + times->run_ns - before.run_ns;
  if (before.run_ns > 0 && wanted >= enough_ns &&
      static_cast<double>(waited) > much_waiting * static_cast<double>(wanted)) {
    p.loose_until = time + lasts_s;
    report_oversubscription({"other threads kept workers off their cpus", false}, base::monotonic_ns());
  } else if (time > p.loose_until) {
    p.loose_until = 0;
  }
}

void Steering::look(Worker& worker, WorkerControl& p, double time) {
  WorkerControl::Thread& t = thread(worker);
  std::unique_lock lock(mutex_, std::defer_lock);
  if (t.checked < 0) {
    lock.lock();  // the first time it waits for the lock, since its first jobs would run unbound otherwise
  } else if (!lock.try_lock()) {
    p.next_poll = 0;
    return;
  }
  t.next_look = time + look_interval_;
  watch_others(p, t, time);
  if (time >= next_granted_) {
    granted_ = cpus_->granted();
    next_granted_ = time + look_interval_;
  }
  CpuSet found = cpus_->mask();
  if (!allowed_.explains(found, t.mask, granted_)) {
    // Both are needed at the same moment: a mask that does not fit may only be newer than the grant.
    granted_ = cpus_->granted();
    found = cpus_->mask();
    if (cpus_->granted() != granted_) {
      p.next_poll = t.next_look = 0;  // it is changing just now
      return;
    }
  }
  if (t.own_mask && !allowed_.explains(found, t.mask, granted_)) t.own_mask = found;  // set from outside
  const CpuSet allowed = allowed_.judge(found, t.mask, granted_);
  // The mask that was set last is kept: the kernel remembers it, too, and returns to it when a cpuset grows again.
  if (found != t.mask.set) t.mask.bound = false;
  if (!allowed.empty()) use(allowed, time);
}

/// Under mutex_.
void Steering::use(const CpuSet& allowed, double time) {
  const bool changed = allowed != usable_;
  usable_ = allowed;
  CpuSet cpus = leased_ ? allowed & *leased_ : allowed;
  if (cpus.empty()) cpus = allowed;
  if (cpus == generations_.back()->cpus) return;
  renew(cpus, time, changed || !leased_ ? "the process may use" : "of the shared machine it has");
}

void Steering::lease(const CpuSet& cpus) {
  const std::lock_guard lock(mutex_);
  leased_ = given_ && given_->intersects(cpus) ? *given_ & cpus : cpus;
  use(CpuSet(usable_), now());
}

std::optional<CpuSet> Steering::leased() const {
  const std::lock_guard lock(mutex_);
  return leased_;
}

bool Steering::has_left(const CpuSet& cpus) const {
  const int number = generation_number_.load(std::memory_order_seq_cst);
  return std::all_of(controls_.begin(), controls_.end(),
                     [&](const auto& each) { return each->generation.load(std::memory_order_seq_cst) == number; }) &&
         std::all_of(cpus.begin(), cpus.end(), [&](int cpu) {
           return cpu >= claims_.cpus() || claims_.owner(cpu) == placement::CpuClaims::free_cpu;
         });
}

/// Makes a new placement generation on `cpus`. Under mutex_. \param why says where the cpus come from.
void Steering::renew(const CpuSet& cpus, double time, const std::string& why) {
  const PlacementGeneration& old = *generations_.back();
  placement::Request request = binding::placement_request(runtime_.settings);
  request.workers = static_cast<int>(controls_.size());
  request.share_cores = request.share_cores || runtime_.settings.surplus == base::Surplus::share;
  auto next = std::make_unique<PlacementGeneration>(binding::make_generation(
      {runtime_.machine, runtime_.settings.policy, request, cpus, {}, runtime_.placement.start()}));
  const std::string fallback = next->fallback;
  if (!fallback.empty()) base::notice("generation", fallback);
  next->number = old.number + 1;
  if (next->placed > 0 && decides_) next->control_group = make_control_group(next->placement, time, next->number);
  if (old.control_group) {
    for (Decision& open : old.control_group->pending()) {
      open.outcome = "broken off, the cpus changed";
      records_.add(open);
    }
  }
  regions_.move_to(next->control_group.get());

  Decision decision;
  decision.time = time;
  decision.from = old.spread();
  decision.to = next->spread();
  decision.reason = why + " cpus " + cpus.to_text() + " now, and not " + old.cpus.to_text();
  const int left_over = static_cast<int>(controls_.size()) - next->placed;
  decision.outcome = left_over <= 0 ? "a cpu for each worker"
                                    : std::to_string(left_over) + " of " + std::to_string(controls_.size()) +
                                          (next->shared ? " workers share a cpu with others" : " workers rest");
  if (!fallback.empty()) decision.outcome += "; " + fallback;
  records_.add(decision);
  current_.store(next.get(), std::memory_order_seq_cst);
  generation_number_.store(next->number, std::memory_order_seq_cst);
  generations_.push_back(std::move(next));
  std::erase_if(generations_, [this](const std::unique_ptr<PlacementGeneration>& generation) {
    if (generation == generations_.back()) return false;
    return std::none_of(controls_.begin(), controls_.end(), [&](const std::unique_ptr<WorkerControl>& control) {
      return control->looking.load(std::memory_order_seq_cst) == generation.get();
    });
  });
  runtime_.wake_all();
}

}  // namespace charm::sched
