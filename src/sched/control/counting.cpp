// What a worker tells the controller: its counts, with what the counters show, as often as these may be read
// (counters/ration.hpp).
#include <algorithm>
#include <cstdio>

#include "base/notices.hpp"
#include "binding/readings.hpp"
#include "controller/controller.hpp"
#include "counters/ration.hpp"
#include "sched/control/steering.hpp"
#include "sched/run/runtime.hpp"
#include "sched/run/worker.hpp"

namespace charm::sched {
namespace {

constexpr double least_polls = 4;  // of a worker in a tick

controller::WorkerTotals totals_of(const Meter& meter, double tasks, double user_work) {
  controller::WorkerTotals totals;
  totals.busy = meter.busy();
  totals.running_since = meter.running_since();
  totals.tasks = tasks;
  totals.task_work = meter.work();
  totals.user_work = user_work;
  return totals;
}

}  // namespace

/// Whether the source tells anything that a decision needs, and how often it may be asked.
void Steering::consider_counters(double period) {
  const counters::Description description = source_->describe();
  const bool recorded = runtime_.settings.counters.choice == base::Counters::record;
  if (description.kind == counters::Description::Kind::software && !recorded) source_.reset();
  if (description.kind != counters::Description::Kind::hardware) return;
  if (controller::needs_other_chiplets(runtime_.settings.policy) &&
      binding::hides_chiplets(description.has, runtime_.machine))
    base::notice("counters: chiplets", binding::hidden_chiplets);
  pause_ = counters::reading_pause(description.reading_s);
  if (pause_ > period / least_polls && !recorded) {
    char text[200];
    std::snprintf(text, sizeof text,
                  "a reading of the hardware counters takes %.3g us here, too long for a tick of %.3g ms: decisions "
                  "rest on throughput alone; a longer tick would let them be read",
                  description.reading_s * 1e6, period * 1e3);
    base::notice("counters: dear", text);
    source_.reset();
    pause_ = 0;
  }
  pause_ = std::min(pause_, period / least_polls);
}

/// Of both threads that may run the worker, up to now. Where the kernel does not say, all of the time: then no width
/// is tried.
double Steering::waited(WorkerControl& p, WorkerControl::Thread& t, double now) noexcept {
  if (t.clock == nullptr) t.clock = std::make_unique<os::ThreadClock>("/proc/thread-self/schedstat");
  const auto times = t.clock->read();
  if (!times) {
    base::notice("width", "the kernel does not report how long threads wait for their cpus: all workers run");
    return now;
  }
  t.waited = static_cast<double>(times->wait_ns) * 1e-9;
  return p.own.waited + p.guest.waited;
}

void Steering::record_counts(Worker& worker, WorkerControl& p, const PlacementGeneration& generation, double time,
                             int& spread) noexcept {
  if (p.meter.running_since() > 0) p.meter.settle(time);
  p.outside_work += outside_work_.exchange(0, std::memory_order_relaxed);
  controller::WorkerTotals totals =
      totals_of(p.meter, static_cast<double>(worker.tally.jobs.load(std::memory_order_relaxed)),
                worker.user_work + p.outside_work);
  WorkerControl::Thread& t = thread(worker);
  if (source_ && !t.counters) t.counters = source_->open_for_this_thread(worker.id);
  if (t.counters && time >= t.next_reading) {
    t.last = t.counters->read();
    t.next_reading = time + pause_;
  }
  if (widths_) totals.waited = waited(p, t, time);
  totals.counters = binding::measures_enough(t.last.has);
  totals.hides_chiplets = binding::hides_chiplets(t.last.has, runtime_.machine);
  binding::add_reading(totals, p.own.last);
  binding::add_reading(totals, p.guest.last);
  spread = generation.control_group->poll(worker.id, totals, time);
}

}  // namespace charm::sched
