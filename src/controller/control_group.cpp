#include "controller/control_group.hpp"

#include <algorithm>
#include <utility>

namespace charm::controller {

ControlGroup::ControlGroup(int workers, std::unique_ptr<Controller> controller, double now)
    : worker_counts_(static_cast<std::size_t>(workers)),
      period_(controller->period()),
      next_tick_(now + period_),
      spread_(controller->spread()),
      each_decides_(!controller->spreads().empty()),
      sampler_(Traits{}) {
  if (each_decides_) {
    each_before_.resize(worker_counts_.size());
    each_.resize(worker_counts_.size());
  }
  publish(*controller);
  parts_[""].controller = std::move(controller);
  before_.time = now;
}

ControlGroup::ControlGroup(int workers, const Make& make, double now, const Traits& traits, bool only_regions)
    : ControlGroup(workers, make(), now) {
  make_ = make;
  only_regions_ = only_regions;
  sampler_ = Sampler(traits);
}

int ControlGroup::poll(int worker, const WorkerTotals& totals, double now) {
  WorkerCounts& mine = worker_counts_[static_cast<std::size_t>(worker)];
  for_each_count([](std::atomic<double>& to, double from) { to.store(from, std::memory_order_relaxed); }, mine.counts,
                 totals);
  mine.running_since.store(totals.running_since, std::memory_order_relaxed);
  mine.counters.store(totals.counters, std::memory_order_relaxed);
  mine.hides_chiplets.store(totals.hides_chiplets, std::memory_order_relaxed);

  double due = next_tick_.load(std::memory_order_relaxed);
  if (now >= due && next_tick_.compare_exchange_strong(due, now + period(), std::memory_order_relaxed)) lead(now);
  return spread_of(worker);
}

ControlGroup::Totals ControlGroup::totals(double now) const {
  Totals sum;
  sum.time = now;
  sum.workers =
      static_cast<int>(std::count_if(worker_counts_.begin(), worker_counts_.end(), [](const WorkerCounts& worker) {
        return !worker.rests.load(std::memory_order_relaxed);
      }));
  sum.counted = 0;
  for (const WorkerCounts& worker : worker_counts_) {
    for_each_count([](double& to, const std::atomic<double>& more) { to += more.load(std::memory_order_relaxed); }, sum,
                   worker.counts);
    double busy = worker.counts.busy.load(std::memory_order_relaxed);
    // A worker inside a long task is busy although it has not polled meanwhile.
    const double since = worker.running_since.load(std::memory_order_relaxed);
    if (since > 0) {
      sum.busy += std::max(0.0, now - since);
      busy += std::max(0.0, now - since);
    }
    if (!worker.counters.load(std::memory_order_relaxed)) continue;
    ++sum.counted;
    sum.hides_chiplets = sum.hides_chiplets || worker.hides_chiplets.load(std::memory_order_relaxed);
    sum.counted_busy += busy;
  }
  return sum;
}

/// A few workers may have no counters, because open files or counters have run out: the others speak for them. Nothing
/// is known of an interval in which workers lost or got counters.
void ControlGroup::extrapolate(Signals& since, const Totals& now) const {
  const double counted = std::max(0.0, now.counted_busy - before_.counted_busy);
  const bool same = before_.counted < 0 || now.counted == before_.counted;
  since.counters = same && now.counted > 0 && 2 * counted >= since.busy;
  if (!since.counters || now.counted == since.workers || counted <= 0) return;
  const double all = std::max(1.0, since.busy / counted);
  since.instructions *= all;
  for (double& fill : since.fills) fill *= all;
}

void ControlGroup::lead(double now) {
  std::unique_lock lock(deciding_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  const Totals sum = totals(now);
  Signals since = sum;
  since -= before_;
  since.busy = std::max(0.0, since.busy);  // a running period may have been counted a moment too long before
  since.elapsed = now - before_.time;
  if (since.elapsed <= 0) return;  // overtaken by a leader of a later tick
  extrapolate(since, sum);
  before_ = sum;
  since.resting_busy = busy_of_resting();
  report_each(since);
  decide(since);
  const double period = part(current_).controller->period();
  if (period == this->period()) return;
  period_.store(period, std::memory_order_relaxed);
  next_tick_.store(now + period, std::memory_order_relaxed);
}

/// In the interval, by what they have stored: what runs at the moment counts when it ends.
double ControlGroup::busy_of_resting() {
  double busy = 0;
  for (WorkerCounts& worker : worker_counts_) {
    const double now = worker.counts.busy.load(std::memory_order_relaxed);
    if (worker.rests.load(std::memory_order_relaxed)) busy += now - worker.busy_before;
    worker.busy_before = now;
  }
  return busy;
}

/// Divides the interval among the workers, for a controller by which each decides for itself.
void ControlGroup::report_each(Signals& since) {
  since.each = each_;
  for (std::size_t w = 0; w < each_.size(); ++w) {
    const WorkerCounts& worker = worker_counts_[w];
    Counts now;
    for_each_count([](double& to, const std::atomic<double>& from) { to = from.load(std::memory_order_relaxed); }, now,
                   worker.counts);
    static_cast<Counts&>(each_[w]) = now - each_before_[w];
    each_before_[w] = now;
    each_[w].counters = worker.counters.load(std::memory_order_relaxed);
    each_[w].hides_chiplets = worker.hides_chiplets.load(std::memory_order_relaxed);
  }
}

void ControlGroup::publish(const Controller& controller) {
  const int group = controller.spread();
  bool changed = spread_.exchange(group, std::memory_order_relaxed) != group;
  const auto each = controller.spreads();
  for (std::size_t w = 0; w < std::min(each.size(), worker_counts_.size()); ++w)
    changed |= worker_counts_[w].spread.exchange(each[w], std::memory_order_relaxed) != each[w];
  if (changed) changes_.fetch_add(1, std::memory_order_relaxed);
  const auto resting = controller.resting();
  if (std::equal(resting.begin(), resting.end(), resting_.begin(), resting_.end())) return;
  resting_.assign(resting.begin(), resting.end());
  for (std::size_t w = 0; w < worker_counts_.size(); ++w)
    worker_counts_[w].rests.store(w < resting_.size() && resting_[w] != 0, std::memory_order_relaxed);
  if (rest_listener_) rest_listener_(resting_);
}

/// The one entered last. Where threads are in different ones at a time none of them decides, since what is measured is
/// what all of them do.
std::string ControlGroup::region_of_all() const {
  const std::lock_guard lock(entering_);
  std::map<std::thread::id, std::string_view> of_threads;
  for (const Entered& each : entered_) {
    if (each.thread != std::thread::id()) of_threads[each.thread] = each.region;
  }
  const bool agree = std::all_of(of_threads.begin(), of_threads.end(),
                                 [&](const auto& each) { return each.second == of_threads.begin()->second; });
  return agree && !entered_.empty() ? entered_.back().region : std::string();
}

void ControlGroup::decide(const Signals& since) {
  const int stood_at = spread();
  std::string region = region_of_all();
  if (region != current_) {
    // The interval belongs to both parts, so it is used for neither.
    current_ = std::move(region);
    part(current_).controller->entered();
    const int there = part(current_).controller->spread();
    if (there != stood_at) {
      Decision entry;
      entry.time = since.time;
      entry.from = stood_at;
      entry.to = there;
      entry.reason = current_.empty() ? "the region was left" : "the region was entered";
      entry.outcome = "moved to its level";
      entry.region = current_;
      kept_.record(entry);
      if (listener_) listener_(entry);
    }
    publish(*part(current_).controller);
  } else if (!current_.empty() || !only_regions_) {
    Part& now = part(current_);
    now.controller->tick(since);
    publish(*now.controller);
    note_decisions(now, current_);
  }

  TimelinePoint point;
  point.time = since.time;
  point.seconds = since.elapsed;
  point.spread = stood_at;
  point.workers = since.workers;
  if (auto sample = sampler_.sample(since)) {
    point.throughput = sample->throughput;
    point.stall_other_chiplet = sample->stall_remote;
    point.stall_dram = sample->stall_dram;
    point.idle = sample->idle;
  } else {
    point.idle = std::clamp(1 - since.busy / (since.elapsed * std::max(1, since.workers)), 0.0, 1.0);
  }
  timeline_.record(point);
  if (observer_) observer_(point);
}

ControlGroup::Part& ControlGroup::part(const std::string& region) {
  Part& found = parts_[region];
  if (!found.controller) found.controller = make_();
  return found;
}

/// Takes over what a controller has decided and knows the outcome of.
void ControlGroup::note_decisions(Part& part, const std::string& region) {
  const DecisionLog& log = part.controller->log();
  const std::size_t first = log.total() - log.entries().size();
  part.reported = std::max(part.reported, first);
  while (part.reported < log.total()) {
    const Decision& decision = log.entries()[part.reported - first];
    if (decision.outcome.empty() && part.reported + 1 == log.total()) return;
    Decision mine = decision;
    mine.region = region;
    if (listener_) listener_(mine);
    kept_.record(std::move(mine));
    ++part.reported;
  }
}

long ControlGroup::enter(std::string_view region, std::thread::id thread) {
  std::lock_guard lock(entering_);
  entered_.push_back({++tickets_, make_ ? std::string(region) : std::string(), thread});
  return tickets_;
}

void ControlGroup::leave(long ticket) {
  std::lock_guard lock(entering_);
  std::erase_if(entered_, [ticket](const Entered& e) { return e.ticket == ticket; });
}

/// Under deciding_.
void ControlGroup::add_pending(std::vector<Decision>& all) const {
  for (const auto& [region, part] : parts_) {
    if (!part.controller) continue;
    const DecisionLog& log = part.controller->log();
    const std::size_t first = log.total() - log.entries().size();
    for (std::size_t i = std::max(part.reported, first); i < log.total(); ++i) {
      all.push_back(log.entries()[i - first]);
      all.back().region = region;
    }
  }
}

std::vector<Decision> ControlGroup::decisions() const {
  std::lock_guard lock(deciding_);
  std::vector<Decision> all(kept_.entries().begin(), kept_.entries().end());
  add_pending(all);
  sort_by_time(all);
  return all;
}

std::vector<Decision> ControlGroup::pending() const {
  std::lock_guard lock(deciding_);
  std::vector<Decision> open;
  add_pending(open);
  return open;
}

std::vector<TimelinePoint> ControlGroup::timeline() const {
  std::lock_guard lock(deciding_);
  return timeline_.points();
}

}  // namespace charm::controller
