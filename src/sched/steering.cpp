#include "sched/steering.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/notices.hpp"
#include "controller/policy.hpp"
#include "os/cpu_list.hpp"
#include "os/thread_memory.hpp"
#include "sched/readings.hpp"
#include "sched/runtime.hpp"
#include "sched/tracing.hpp"
#include "sched/worker.hpp"
#include "trace/recorder.hpp"
#include "trace/symbol.hpp"

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

controller::Counts counts_of(const Meter& meter, double tasks, double user_work) {
  controller::Counts counts;
  counts.busy = meter.busy();
  counts.running_since = meter.running_since();
  counts.tasks = tasks;
  counts.task_work = meter.work();
  counts.user_work = user_work;
  return counts;
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
      claims_(runtime.machine),
      allowed_(came_with_) {
  for (std::size_t w = 0; w < runtime.placement.start().size(); ++w)
    pilots_.push_back(std::make_unique<Pilot>(costs_, claims_, static_cast<int>(w)));

  if (runtime.settings.publish) publish();

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
    first->cpus = usable_ = allowed_.judge(cpus_->mask(), caller, granted_);
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

void Steering::publish() {
  window_ = std::make_unique<trace::Window>("\"policy\": \"" + spec_ +
                                            "\", \"workers\": " + std::to_string(runtime_.placement.start().size()));
  if (!window_->error().empty()) {
    base::notice("publish", "the decisions are not published: " + window_->error());
    window_.reset();
  }
}

void Steering::tell(const Decision& decision) {
  if (trace::recording()) trace::decision("spread", controller::to_json(decision));
  std::function<void(const Decision&)> listener;
  {
    std::lock_guard lock(records_mutex_);
    records_.record(decision);
    if (window_ != nullptr) window_->publish(controller::to_json(decision));
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

std::vector<TaskTypeStats> Steering::task_types() const {
  std::vector<TaskTypeStats> types;
  for (std::size_t at = 0; at < KindCosts::most; ++at) {
    if (costs_.kind(at) == nullptr) continue;
    double count = 0;
    for (const auto& pilot : pilots_) count += pilot->meter.counted(at);
    types.push_back({trace::symbol(reinterpret_cast<std::uintptr_t>(costs_.kind(at))), count, costs_.cost(at)});
  }
  std::sort(types.begin(), types.end(), [](const TaskTypeStats& a, const TaskTypeStats& b) {
    return a.count * a.seconds_each > b.count * b.seconds_each;
  });
  return types;
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
  const std::vector<int> allowed = allowed_cpus();
  std::vector<int> near = os::in_both(runtime_.cpus_of_node(node), allowed);
  return near.empty() ? allowed : near;
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
