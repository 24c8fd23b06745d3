#include "sched/control/steering.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/clock.hpp"
#include "base/notices.hpp"
#include "binding/masks.hpp"
#include "controller/controller.hpp"
#include "os/processes/symbol.hpp"
#include "sched/debug/tracing.hpp"
#include "sched/run/runtime.hpp"
#include "sched/run/worker.hpp"

namespace charm::sched {
namespace {

constexpr double guest_floats_s = 0.001;         // on the worker's cpu, before it is bound there
constexpr std::uint64_t arrives_again_us = 100;  // a look at the allowed cpus may be late by so much

thread_local const Worker* worker_of_own_thread = nullptr;

/// Not inlined: a fiber may have changed its thread since the address of the variable was last computed.
[[gnu::noinline]] bool on_own_thread(const Worker& worker) noexcept {
  asm volatile("");
  return worker_of_own_thread == &worker;
}

}  // namespace

Steering::Steering(Runtime& runtime, std::unique_ptr<os::CpuWatch> cpus, std::unique_ptr<counters::Source> source,
                   std::optional<Share> share)
    : runtime_(runtime),
      cpus_(std::move(cpus)),
      source_(std::move(source)),
      look_interval_(cpus_ ? runtime.settings.watch_ms / 1000.0 : 0),
      started_(base::monotonic_seconds()),
      came_with_(share   ? share->came_with
                 : cpus_ ? cpus_->mask()
                         : runtime.machine.allowed_cpus),
      claims_(runtime.machine),
      allowed_(came_with_) {
  for (std::size_t w = 0; w < runtime.placement.start().size(); ++w)
    controls_.push_back(std::make_unique<WorkerControl>(costs_, claims_, static_cast<int>(w)));

  if (runtime.settings.decision_file) records_.write_file(runtime.settings.policy, controls_.size());
  widths_ = runtime.settings.adapts_width();

  auto first = std::make_unique<PlacementGeneration>();
  first->placement = runtime.placement;
  first->placed = static_cast<int>(controls_.size());
  first->shared = runtime.settings.share_cores;
  first->control_group = make_control_group(first->placement, now(), first->number);
  decides_ = first->control_group != nullptr;
  // Without a controller nothing has to be counted, and missing counters are not reported.
  if (decides_ && !source_) source_ = counters::Source::choose(runtime.settings, runtime.machine);
  if (decides_) consider_counters(first->control_group->period());
  if (cpus_) {
    granted_ = cpus_->granted();
    os::ThreadMask caller;
    first->cpus = usable_ = allowed_.judge(CpuSet(came_with_), caller, granted_);
  }
  if (share) {
    if (!cpus_) usable_ = runtime.machine.allowed_cpus;  // of a machine on paper
    given_ = share->given;
    leased_ = share->cpus;
    first->cpus = usable_ & *leased_;
  }
  // Some worker meets every tick as long as a worker polls several times in a tick.
  interval_ = decides_             ? std::max(std::clamp(first->control_group->period() / 16, 0.0005, 0.01), pause_)
              : look_interval_ > 0 ? look_interval_
                                   : 1e9;
  current_.store(first.get(), std::memory_order_seq_cst);
  generations_.push_back(std::move(first));
}

Steering::~Steering() = default;

std::unique_ptr<controller::ControlGroup> Steering::make_control_group(const placement::Placement& placement,
                                                                       double now, int generation) {
  auto control_group = binding::make_control_group(runtime_.settings.policy, runtime_.machine, placement, now,
                                                   runtime_.settings.monitor == base::Monitor::regions, widths_);
  if (!control_group) return nullptr;
  if (widths_)
    control_group->on_rest([this, generation](std::span<const char> rests) { set_resting(generation, rests); });
  control_group->listen([this](const Decision& decision) { records_.add(decision); });
  control_group->observe([this](const TimelinePoint& point) { records_.add(point); });
  return control_group;
}

WorkerControl& Steering::control(const Worker& worker) const { return *controls_[static_cast<std::size_t>(worker.id)]; }

WorkerControl::Thread& Steering::thread(const Worker& worker) const {
  WorkerControl& p = control(worker);
  return on_own_thread(worker) ? p.own : p.guest;
}

double Steering::at(std::int64_t ns) const noexcept {
  return 1e-9 * static_cast<double>(ns) - started_ + 1e-9;  // 0 means never
}

double Steering::now() const noexcept { return at(base::monotonic_ns()); }

// ---- the worker's side ----

void Steering::start(Worker& worker) {
  worker_of_own_thread = &worker;
  WorkerControl& p = control(worker);
  if (decides_ && source_) p.own.counters = source_->open_for_this_thread(worker.id);
  // The mask that a new thread inherits was not set from outside for it, so it counts as its own.
  if (cpus_) p.own.mask.set = came_with_;
  slept(worker);
  if (decides_) p.meter.begin_work(now());  // it will look for some, and say so
}

void Steering::stop(Worker& worker) {
  records_.call_listener();
  WorkerControl& p = control(worker);
  p.own.counters.reset();
  p.binder.forget();
  worker_of_own_thread = nullptr;
}

int Steering::boundary(Worker& worker) noexcept {
  WorkerControl& p = control(worker);
  const double time = now();
  if (time >= p.next_poll || has_news(worker)) poll(worker, p, time);
  return p.jobs.next(time);
}

int Steering::chunk(Worker& worker) noexcept {
  WorkerControl& p = control(worker);
  const double time = now();
  if (time >= p.next_poll || has_news(worker)) poll(worker, p, time);
  return p.chunks.next(time);
}

bool Steering::has_news(const Worker& worker) const noexcept {
  const WorkerControl& p = control(worker);
  const int generation = p.generation.load(std::memory_order_relaxed);
  if (generation_number_.load(std::memory_order_seq_cst) != generation) return true;
  return widths_ &&
         (p.narrow.load(std::memory_order_seq_cst) == generation) != p.narrowed.load(std::memory_order_relaxed);
}

/// Whoever is to begin or to end its rest does so at once, also if it sleeps: a sleeper that is not to work any more
/// must not be woken for a job.
void Steering::set_resting(int generation, std::span<const char> rests) noexcept {
  const auto first = std::find(rests.begin(), rests.end(), 1);
  watcher_.store(first == rests.end() ? -1 : static_cast<int>(first - rests.begin()), std::memory_order_relaxed);
  for (std::size_t w = 0; w < controls_.size(); ++w) {
    const int to = w < rests.size() && rests[w] != 0 ? generation : -1;
    if (controls_[w]->narrow.exchange(to, std::memory_order_seq_cst) != to) runtime_.wake(*runtime_.workers[w]);
  }
}

bool Steering::watches(const Worker& worker) const noexcept {
  return watcher_.load(std::memory_order_relaxed) == worker.id &&
         control(worker).narrowed.load(std::memory_order_relaxed);
}

int Steering::running_workers() const noexcept {
  return static_cast<int>(std::count_if(controls_.begin(), controls_.end(), [](const auto& control) {
    return control->rest.load(std::memory_order_relaxed) == Rest::none;
  }));
}

bool Steering::in_doubt(const Worker& worker) const noexcept {
  return has_news(worker) || control(worker).next_poll == 0;
}

void Steering::slept(Worker& worker) noexcept {
  WorkerControl& p = control(worker);
  poll(worker, p, now());
  if (p.next_poll == 0) poll(worker, p, now());  // it has found a mask that has to be judged first
}

void Steering::arrive(Worker& worker, std::uint64_t ticks) noexcept {
  if (!cpus_) return;
  WorkerControl& p = control(worker);
  WorkerControl::Thread& t = thread(worker);
  // The thread that called init() arrives for every short run(), and reading the time would take a tenth of that: where
  // it was here a moment ago, it knows what it has to.
  const bool again = ticks != 0 && t.arrived <= ticks && ticks - t.arrived < arrives_again_us * worker.clock->per_us();
  double time = 0;
  if (look_interval_ > 0 && !again) {
    time = now();
    t.arrived = ticks;
    if (time >= t.next_look) look(worker, p, time);
  }
  if (in_doubt(worker)) {
    p.next_poll = 0;
    worker.until_boundary = 1;
  }
  // It is not bound, or floats, or rests, or waits for a core among the present cpus: the next poll handles that.
  const int generation = generation_number_.load(std::memory_order_acquire);
  if (p.mask.cpus.empty() || p.placed != generation || p.mask.generation != generation ||
      !(p.mask.worker_core == worker.worker_core()))
    return;
  if (rest(worker) != Rest::none || !p.binder.is_on(worker.worker_core().cpu, p.mask.shared)) return;
  if (t.checked == generation && t.mask.bound && t.mask.set == p.mask.cpus) return;
  if (&t == &p.guest && runtime_.settings.caller_mask == base::CallerMask::own && p.mask.cpus.contains(cpus_->cpu())) {
    if (again && p.next_poll <= t.floats_until) return;  // nobody has polled since it was here
    p.next_poll = t.floats_until = std::min(p.next_poll, (time > 0 ? time : now()) + guest_floats_s);
    return;
  }
  if (surprised(worker, p)) return;
  if (bind(t, p.mask.cpus)) t.checked = generation;
  place_memory(t, worker.worker_core());
}

void Steering::begin_work(Worker& worker) noexcept {
  if (decides_) control(worker).meter.begin_work(now());
}

void Steering::end_work(Worker& worker, std::int64_t now_ns) noexcept {
  if (!decides_) return;
  WorkerControl& p = control(worker);
  const double time = at(now_ns);
  p.meter.end_work(time);
  if (time < p.next_poll) return;
  poll(worker, p, time);  // so that its last work is counted before it sleeps
}

void Steering::count(Worker& worker, const void* kind, double n) noexcept {
  if (worker.meter != nullptr) worker.meter->count(kind, n);
}

void Steering::poll(Worker& worker, WorkerControl& p, double time) noexcept {
  p.next_poll = time + interval_;
  if (look_interval_ > 0 && time >= thread(worker).next_look) look(worker, p, time);
  const PlacementGeneration* generation = current_.load(std::memory_order_acquire);
  for (;;) {  // a generation in use stays
    p.looking.store(generation, std::memory_order_seq_cst);
    const PlacementGeneration* again = current_.load(std::memory_order_seq_cst);
    if (again == generation) break;
    generation = again;
  }
  int spread = generation->spread_of(worker.id);
  if (generation->control_group && worker.id < generation->placed) record_counts(worker, p, *generation, time, spread);
  p.generation.store(generation->number, std::memory_order_relaxed);
  follow(worker, p, *generation, spread);
  p.looking.store(nullptr, std::memory_order_release);
  records_.call_listener();
}

// ---- any thread ----

long Steering::enter_region(std::string_view name) {
  std::lock_guard lock(mutex_);
  const std::thread::id thread = this_worker() == nullptr ? std::this_thread::get_id() : std::thread::id();
  return regions_.enter(name, thread, generations_.back()->control_group.get());
}

void Steering::leave_region(long ticket) {
  std::lock_guard lock(mutex_);
  regions_.leave(ticket, generations_.back()->control_group.get());
}

std::vector<TaskTypeStats> Steering::task_types() const {
  std::vector<TaskTypeStats> types;
  for (std::size_t at = 0; at < KindCosts::most; ++at) {
    if (costs_.kind(at) == nullptr) continue;
    double count = 0;
    for (const auto& control : controls_) count += control->meter.counted(at);
    types.push_back({os::symbol(reinterpret_cast<std::uintptr_t>(costs_.kind(at))), count, costs_.cost(at)});
  }
  std::sort(types.begin(), types.end(), [](const TaskTypeStats& a, const TaskTypeStats& b) {
    return a.count * a.seconds_each > b.count * b.seconds_each;
  });
  return types;
}

std::vector<Decision> Steering::decisions() const {
  std::vector<Decision> open;
  {
    std::lock_guard lock(mutex_);
    if (generations_.back()->control_group) open = generations_.back()->control_group->pending();
  }
  std::vector<Decision> all = records_.decisions();
  all.insert(all.end(), open.begin(), open.end());
  controller::sort_by_time(all);
  return all;
}

CpuSet Steering::allowed_cpus() const {
  std::lock_guard lock(mutex_);
  return generations_.back()->cpus;
}

CpuSet Steering::wanted_cpus() const {
  std::lock_guard lock(mutex_);
  return allowed_.wanted();
}

std::vector<WorkerCore> Steering::worker_cores() const {
  std::lock_guard lock(mutex_);
  const PlacementGeneration& generation = *generations_.back();
  std::vector<WorkerCore> worker_cores;
  for (std::size_t w = 0; w < controls_.size(); ++w) {
    const int worker = static_cast<int>(w);
    const WorkerCore* worker_core = generation.worker_core(worker, generation.spread_of(worker));
    worker_cores.push_back(worker_core != nullptr ? *worker_core : runtime_.placement.start()[w]);
    if (worker_core == nullptr) worker_cores.back().core = worker_cores.back().cpu = -1;
  }
  return worker_cores;
}

int Steering::generation() const {
  std::lock_guard lock(mutex_);
  return generations_.back()->number;
}

}  // namespace charm::sched
