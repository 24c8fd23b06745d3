#include "sched/steering.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "base/notices.hpp"
#include "controller/policy.hpp"
#include "os/cpu_list.hpp"
#include "os/thread_memory.hpp"
#include "sched/request.hpp"
#include "sched/runtime.hpp"
#include "sched/tracing.hpp"
#include "sched/worker.hpp"
#include "trace/recorder.hpp"

namespace charm::sched {
namespace {

double clock_seconds() noexcept {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

thread_local const Worker* worker_of_own_thread = nullptr;

/// Not inlined: a fiber may have changed its thread since the address of the variable was last computed.
[[gnu::noinline]] bool on_own_thread(const Worker& worker) noexcept {
  asm volatile("");
  return worker_of_own_thread == &worker;
}

int highest_cpu(const Machine& machine) {
  int highest = 1023;
  for (const auto* cpus : {&machine.allowed_cpus, &machine.forbidden_cpus}) {
    if (!cpus->empty()) highest = std::max(highest, cpus->back());
  }
  return highest;
}

controller::Counts counts_of(const Meter& meter, double tasks, double user_work) {
  controller::Counts counts;
  counts.busy = meter.busy();
  counts.running_since = meter.running_since();
  counts.tasks = tasks;
  counts.task_work = meter.work();
  counts.user_work = user_work;
  return counts;
}

/// A line that this core's L2 had is not a fill from outside and says nothing about placement; memory behind a link
/// that is no node's is as far as memory gets.
void add_reading(controller::Counts& counts, const counters::Reading& reading) {
  using controller::Fill;
  using counters::FillSource;
  auto fills = [&](Fill to, FillSource from) {
    counts.fills[static_cast<std::size_t>(to)] += static_cast<double>(reading.fill(from));
  };
  fills(Fill::same_chiplet, FillSource::own_chiplet);
  fills(Fill::other_chiplet, FillSource::other_chiplet);
  fills(Fill::remote_cache, FillSource::remote_cache);
  fills(Fill::local_dram, FillSource::local_dram);
  fills(Fill::remote_dram, FillSource::remote_dram);
  fills(Fill::remote_dram, FillSource::other);
  counts.instructions += static_cast<double>(reading.instructions);
}

/// Whether they tell what a controller asks: how much was done, and whether it waited for something far.
bool tells_enough(const counters::Measured& has) {
  using counters::FillSource;
  bool far = has.fills.has(FillSource::other_chiplet) || has.fills.has(FillSource::remote_cache) ||
             has.fills.has(FillSource::local_dram) || has.fills.has(FillSource::remote_dram);
  return has.instructions && far;
}

}  // namespace

Steering::Steering(Runtime& runtime, std::unique_ptr<os::CpuWatch> cpus, std::unique_ptr<counters::Source> source)
    : runtime_(runtime),
      cpus_(std::move(cpus)),
      source_(std::move(source)),
      spec_(controller::spec_of(runtime.settings)),
      look_interval_(cpus_ ? runtime.settings.watch_ms / 1000.0 : 0),
      started_(clock_seconds()),
      came_with_(cpus_ ? cpus_->mask() : runtime.machine.allowed_cpus),
      claims_(highest_cpu(runtime.machine) + 1),
      allowed_(came_with_) {
  for (std::size_t w = 0; w < runtime.placement.start().size(); ++w)
    pilots_.push_back(std::make_unique<Pilot>(costs_, claims_, static_cast<int>(w)));

  auto first = std::make_unique<Epoch>();
  first->placement = runtime.placement;
  first->seated = static_cast<int>(pilots_.size());
  first->shared = runtime.settings.share_cores;
  first->gang = make_gang(first->placement, first->seated, now());
  decides_ = first->gang != nullptr;
  // Where nothing is decided nothing need be counted, nor be said of what cannot be.
  if (decides_ && !source_) source_ = counters::Source::choose(runtime.settings, runtime.machine);
  if (cpus_) {
    granted_ = cpus_->granted();
    os::ThreadMask caller;
    first->cpus = allowed_.judge(cpus_->mask(), caller, granted_);
  }
  // A tick is met by somebody as long as anybody comes by several times in one.
  interval_ = decides_             ? std::clamp(first->gang->period() / 16, 0.0005, 0.01)
              : look_interval_ > 0 ? look_interval_
                                   : 1e9;
  current_.store(first.get(), std::memory_order_seq_cst);
  epochs_.push_back(std::move(first));
}

Steering::~Steering() = default;

std::unique_ptr<controller::Gang> Steering::make_gang(const placement::Placement& placement, int workers, double now) {
  if (placement.levels.size() < 2 || !controller::moves(spec_)) return nullptr;
  controller::Setup setup = controller::setup_for(runtime_.machine, placement);
  controller::Traits traits = setup.traits;
  auto make = [spec = spec_, setup = std::move(setup)] { return controller::make_controller(spec, setup); };
  auto gang = std::make_unique<controller::Gang>(workers, make, now, traits, runtime_.settings.monitor == "regions");
  gang->listen([this](const Decision& decision) { tell(decision); });
  gang->observe([this](const TimelinePoint& point) { note(point); });
  return gang;
}

void Steering::tell(const Decision& decision) {
  if (trace::recording()) trace::decision("spread", controller::to_json(decision));
  std::function<void(const Decision&)> listener;
  {
    std::lock_guard lock(records_mutex_);
    records_.record(decision);
    listener = listener_;
  }
  if (listener) listener(decision);
}

void Steering::note(const TimelinePoint& point) {
  {
    std::lock_guard lock(records_mutex_);
    timeline_.record(point);
  }
  if (!trace::recording()) return;
  trace::counter("spread (chiplets)", point.spread);
  trace::counter("work per second", point.throughput);
  trace::counter("idle share", point.idle);
  if (point.stall_dram < 0) return;
  trace::counter("stalled on memory", point.stall_dram);
  trace::counter("stalled on other chiplets", point.stall_other_chiplet);
}

Pilot& Steering::pilot(const Worker& worker) const { return *pilots_[static_cast<std::size_t>(worker.id)]; }

Pilot::Thread& Steering::thread(const Worker& worker) const {
  Pilot& p = pilot(worker);
  return on_own_thread(worker) ? p.own : p.guest;
}

double Steering::now() const noexcept { return clock_seconds() - started_ + 1e-9; }  // 0 means never

// ---- the worker's side ----

void Steering::start(Worker& worker) {
  worker_of_own_thread = &worker;
  Pilot& p = pilot(worker);
  if (decides_ && source_) p.own.counters = source_->open_for_this_thread(worker.id);
  // What it inherits is nobody's wish, whatever the others have met meanwhile.
  if (cpus_) p.own.mask.set = came_with_;
  slept(worker);
  if (decides_) p.meter.begin_work(now());  // it will look for some, and say so
}

void Steering::stop(Worker& worker) {
  Pilot& p = pilot(worker);
  p.own.counters.reset();
  p.holder.leave();
  worker_of_own_thread = nullptr;
}

int Steering::boundary(Worker& worker) noexcept {
  Pilot& p = pilot(worker);
  const double time = now();
  if (time >= p.next_poll || has_news(worker)) poll(worker, p, time);
  return p.jobs.next(time);
}

int Steering::chunk(Worker& worker) noexcept {
  Pilot& p = pilot(worker);
  const double time = now();
  if (time >= p.next_poll || has_news(worker)) poll(worker, p, time);
  return p.chunks.next(time);
}

bool Steering::has_news(const Worker& worker) const noexcept {
  return epoch_number_.load(std::memory_order_seq_cst) != pilot(worker).epoch.load(std::memory_order_relaxed);
}

bool Steering::in_doubt(const Worker& worker) const noexcept {
  return has_news(worker) || pilot(worker).next_poll == 0;
}

bool Steering::rests(const Worker& worker) const noexcept {
  return pilot(worker).resting.load(std::memory_order_seq_cst);
}

void Steering::slept(Worker& worker) noexcept {
  Pilot& p = pilot(worker);
  poll(worker, p, now());
  if (p.next_poll == 0) poll(worker, p, now());  // it has met a mask that has to be understood first
}

void Steering::arrive(Worker& worker) noexcept {
  if (!cpus_) return;
  Pilot& p = pilot(worker);
  Pilot::Thread& t = thread(worker);
  if (look_interval_ > 0) {
    if (const double time = now(); time >= t.next_look) look(worker, p, time);
  }
  if (in_doubt(worker)) {
    p.next_poll = 0;
    worker.until_boundary = 1;
  }
  // It is bound nowhere, or floats, or rests, or waits for a seat among the cpus of today: the next poll sees to it.
  const int epoch = epoch_number_.load(std::memory_order_acquire);
  if (p.mask.cpus.empty() || p.seated != epoch || p.mask.epoch != epoch || !(p.mask.seat == worker.seat)) return;
  if (rests(worker) || (!p.shares && p.holder.held() != worker.seat.cpu)) return;
  if (t.checked == epoch && t.mask.bound && t.mask.set == p.mask.cpus) return;
  if (surprised(worker, p)) return;
  if (bind(t, p.mask.cpus)) t.checked = epoch;
  place_memory(t, worker.seat);
}

void Steering::begin_work(Worker& worker) noexcept {
  if (decides_) pilot(worker).meter.begin_work(now());
}

void Steering::end_work(Worker& worker) noexcept {
  if (!decides_) return;
  Pilot& p = pilot(worker);
  const double time = now();
  p.meter.end_work(time);
  if (time < p.next_poll) return;
  poll(worker, p, time);  // so that its last work is known while it sleeps
}

void Steering::count(Worker& worker, const void* kind, double n) noexcept {
  if (decides_) pilot(worker).meter.count(kind, n);
}

void Steering::poll(Worker& worker, Pilot& p, double time) noexcept {
  p.next_poll = time + interval_;
  if (look_interval_ > 0 && time >= thread(worker).next_look) look(worker, p, time);
  const Epoch* epoch = current_.load(std::memory_order_acquire);
  for (;;) {  // S3
    p.looking.store(epoch, std::memory_order_seq_cst);
    const Epoch* again = current_.load(std::memory_order_seq_cst);
    if (again == epoch) break;
    epoch = again;
  }
  int spread = epoch->spread();
  if (epoch->gang && worker.id < epoch->seated) publish(worker, p, *epoch, time, spread);
  p.epoch.store(epoch->number, std::memory_order_relaxed);
  follow(worker, p, *epoch, spread);
  p.looking.store(nullptr, std::memory_order_release);
}

void Steering::publish(Worker& worker, Pilot& p, const Epoch& epoch, double time, int& spread) noexcept {
  if (p.meter.running_since() > 0) p.meter.settle(time);
  p.outside_work += outside_work_.exchange(0, std::memory_order_relaxed);
  controller::Counts counts = counts_of(p.meter, static_cast<double>(worker.tally.jobs.load(std::memory_order_relaxed)),
                                        worker.user_work + p.outside_work);
  Pilot::Thread& t = thread(worker);
  if (source_ && !t.counters) t.counters = source_->open_for_this_thread(worker.id);
  if (t.counters) t.last = t.counters->read();
  counts.counters = tells_enough(t.last.has);
  add_reading(counts, p.own.last);
  add_reading(counts, p.guest.last);
  spread = epoch.gang->poll(worker.id, counts, time);
}

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
      auto float_around = [&] {
        const std::vector<int> near = runtime_.cpus_of_chiplet(seat.chiplet);
        std::vector<int> mask;
        std::set_intersection(near.begin(), near.end(), epoch.cpus.begin(), epoch.cpus.end(), std::back_inserter(mask));
        bind(t, mask.empty() ? epoch.cpus : mask);
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
    if (bind(t, epoch.cpus)) t.checked = epoch.number;
  }
  p.holder.leave();
}

/// What the mode binds a worker with this seat to, as far as it is allowed. The seat's own cpu always is.
const std::vector<int>& Steering::mask_of(Pilot& p, const Seat& seat, const Epoch& epoch) const {
  if (p.mask.epoch == epoch.number && p.mask.seat == seat) return p.mask.cpus;
  std::vector<int> cpus = cpus_ ? runtime_.cpus_of(seat) : std::vector<int>();
  if (!cpus.empty() && runtime_.bind != Bind::core) {
    std::vector<int> allowed;
    std::set_intersection(cpus.begin(), cpus.end(), epoch.cpus.begin(), epoch.cpus.end(), std::back_inserter(allowed));
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

// ---- the allowed cpus ----

void Steering::look(Worker& worker, Pilot& p, double time) {
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) {
    p.next_poll = 0;
    return;
  }
  Pilot::Thread& t = thread(worker);
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
  if (!allowed.empty() && allowed != epochs_.back()->cpus) renew(allowed, time);
}

/// Makes `cpus` the new epoch. Under mutex_.
void Steering::renew(const std::vector<int>& cpus, double time) {
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
  decision.reason =
      "the process may use cpus " + os::format_cpu_list(cpus) + " now, and not " + os::format_cpu_list(old.cpus);
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

// ---- anyone ----

long Steering::enter_region(std::string_view name) {
  std::lock_guard lock(mutex_);
  const Epoch& epoch = *epochs_.back();
  regions_.push_back({++tickets_, std::string(name), epoch.gang ? epoch.gang->enter(name) : 0});
  return tickets_;
}

void Steering::leave_region(long ticket) {
  std::lock_guard lock(mutex_);
  const Epoch& epoch = *epochs_.back();
  std::erase_if(regions_, [&](const Region& region) {
    if (region.ticket != ticket) return false;
    if (epoch.gang) epoch.gang->leave(region.gang_ticket);
    return true;
  });
}

std::vector<Decision> Steering::decisions() const {
  std::vector<Decision> all;
  std::vector<Decision> open;
  {
    std::lock_guard lock(mutex_);
    if (epochs_.back()->gang) open = epochs_.back()->gang->pending();
  }
  std::lock_guard lock(records_mutex_);
  all.assign(records_.entries().begin(), records_.entries().end());
  all.insert(all.end(), open.begin(), open.end());
  controller::sort_by_time(all);
  return all;
}

std::vector<TimelinePoint> Steering::timeline() const {
  std::lock_guard lock(records_mutex_);
  return timeline_.points();
}

std::vector<int> Steering::allowed_cpus() const {
  std::lock_guard lock(mutex_);
  return epochs_.back()->cpus;
}

std::vector<int> Steering::allowed_of_node(int node) const {
  const std::vector<int> near = runtime_.cpus_of_node(node);
  std::vector<int> allowed = allowed_cpus();
  std::vector<int> both;
  std::set_intersection(near.begin(), near.end(), allowed.begin(), allowed.end(), std::back_inserter(both));
  return both.empty() ? allowed : both;
}

std::vector<int> Steering::wanted_cpus() const {
  std::lock_guard lock(mutex_);
  return allowed_.wanted();
}

std::vector<Seat> Steering::seats() const {
  std::lock_guard lock(mutex_);
  const Epoch& epoch = *epochs_.back();
  const int spread = epoch.spread();
  std::vector<Seat> seats;
  for (std::size_t w = 0; w < pilots_.size(); ++w) {
    const Seat* seat = epoch.seat(static_cast<int>(w), spread);
    seats.push_back(seat != nullptr ? *seat : runtime_.placement.start()[w]);
    if (seat == nullptr) seats.back().core = seats.back().cpu = -1;
  }
  return seats;
}

int Steering::epoch() const {
  std::lock_guard lock(mutex_);
  return epochs_.back()->number;
}

void Steering::listen(std::function<void(const Decision&)> listener) {
  std::lock_guard lock(records_mutex_);
  listener_ = std::move(listener);
}

void Steering::release_guest() {
  Pilot::Thread& guest = pilots_.front()->guest;
  guest.counters.reset();
  if (cpus_ && !guest.mask.set.empty()) cpus_->bind(wanted_cpus());
  if (guest.memory_node >= 0) os::reset_memory_policy();
}

}  // namespace charm::sched
