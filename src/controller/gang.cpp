#include "controller/gang.hpp"

#include <algorithm>
#include <utility>

namespace charm::controller {

Gang::Gang(int workers, std::unique_ptr<Controller> controller, double now)
    : published_(static_cast<std::size_t>(workers)),
      period_(controller->period()),
      next_tick_(now + period_),
      spread_(controller->spread()),
      sampler_(Traits{}) {
  parts_[""].controller = std::move(controller);
  before_.time = now;
}

Gang::Gang(int workers, const Make& make, double now, const Traits& traits, bool only_regions)
    : Gang(workers, make(), now) {
  make_ = make;
  only_regions_ = only_regions;
  sampler_ = Sampler(traits);
}

int Gang::poll(int worker, const Counts& counts, double now) {
  Published& mine = published_[static_cast<std::size_t>(worker)];
  mine.busy.store(counts.busy, std::memory_order_relaxed);
  mine.running_since.store(counts.running_since, std::memory_order_relaxed);
  mine.tasks.store(counts.tasks, std::memory_order_relaxed);
  mine.user_work.store(counts.user_work, std::memory_order_relaxed);
  mine.task_work.store(counts.task_work, std::memory_order_relaxed);
  mine.instructions.store(counts.instructions, std::memory_order_relaxed);
  for (std::size_t e = 0; e < fill_sources; ++e) mine.fills[e].store(counts.fills[e], std::memory_order_relaxed);
  mine.counters.store(counts.counters, std::memory_order_relaxed);

  double due = next_tick_.load(std::memory_order_relaxed);
  if (now >= due && next_tick_.compare_exchange_strong(due, now + period_, std::memory_order_relaxed)) lead(now);
  return spread();
}

Signals Gang::totals(double now) const {
  Signals sum;
  sum.time = now;
  sum.workers = static_cast<int>(published_.size());
  sum.counters = true;
  for (const Published& worker : published_) {
    sum.busy += worker.busy.load(std::memory_order_relaxed);
    // A worker inside of a long task is busy though it has not come by to say so.
    const double since = worker.running_since.load(std::memory_order_relaxed);
    if (since > 0) sum.busy += std::max(0.0, now - since);
    sum.tasks += worker.tasks.load(std::memory_order_relaxed);
    sum.user_work += worker.user_work.load(std::memory_order_relaxed);
    sum.task_work += worker.task_work.load(std::memory_order_relaxed);
    sum.instructions += worker.instructions.load(std::memory_order_relaxed);
    for (std::size_t e = 0; e < fill_sources; ++e) sum.fills[e] += worker.fills[e].load(std::memory_order_relaxed);
    sum.counters = sum.counters && worker.counters.load(std::memory_order_relaxed);
  }
  return sum;
}

void Gang::lead(double now) {
  std::unique_lock lock(deciding_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  Signals sum = totals(now);
  Signals since = sum;
  since.elapsed = now - before_.time;
  since.busy = std::max(0.0, since.busy - before_.busy);  // a spell may have been counted to its end a moment too soon
  since.tasks -= before_.tasks;
  since.user_work -= before_.user_work;
  since.task_work -= before_.task_work;
  since.instructions -= before_.instructions;
  for (std::size_t e = 0; e < fill_sources; ++e) since.fills[e] -= before_.fills[e];
  if (since.elapsed <= 0) return;  // overtaken by a leader of a later tick
  before_ = sum;
  decide(since);
}

void Gang::decide(const Signals& since) {
  const int stood_at = spread();
  std::string region;
  {
    std::lock_guard lock(entering_);
    if (!entered_.empty()) region = entered_.back().region;
  }
  if (region != current_) {
    // The interval belongs to both parts and tells of neither.
    current_ = std::move(region);
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
      spread_.store(there, std::memory_order_relaxed);
    }
  } else if (!current_.empty() || !only_regions_) {
    Part& now = part(current_);
    spread_.store(now.controller->tick(since), std::memory_order_relaxed);
    note_decisions(now, current_);
  }

  TimelinePoint point;
  point.time = since.time;
  point.seconds = since.elapsed;
  point.spread = stood_at;
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

Gang::Part& Gang::part(const std::string& region) {
  Part& found = parts_[region];
  if (!found.controller) found.controller = make_();
  return found;
}

/// Takes over what a controller has decided and knows the outcome of.
void Gang::note_decisions(Part& part, const std::string& region) {
  const DecisionLog& log = part.controller->log();
  const std::size_t first = log.total() - log.entries().size();
  part.told = std::max(part.told, first);
  while (part.told < log.total()) {
    const Decision& decision = log.entries()[part.told - first];
    if (decision.outcome.empty() && part.told + 1 == log.total()) return;
    Decision mine = decision;
    mine.region = region;
    if (listener_) listener_(mine);
    kept_.record(std::move(mine));
    ++part.told;
  }
}

long Gang::enter(std::string_view region) {
  std::lock_guard lock(entering_);
  entered_.push_back({++tickets_, make_ ? std::string(region) : std::string()});
  return tickets_;
}

void Gang::leave(long ticket) {
  std::lock_guard lock(entering_);
  std::erase_if(entered_, [ticket](const Entered& e) { return e.ticket == ticket; });
}

/// Under deciding_.
void Gang::add_pending(std::vector<Decision>& all) const {
  for (const auto& [region, part] : parts_) {
    if (!part.controller) continue;
    const DecisionLog& log = part.controller->log();
    const std::size_t first = log.total() - log.entries().size();
    for (std::size_t i = std::max(part.told, first); i < log.total(); ++i) {
      all.push_back(log.entries()[i - first]);
      all.back().region = region;
    }
  }
}

std::vector<Decision> Gang::decisions() const {
  std::lock_guard lock(deciding_);
  std::vector<Decision> all(kept_.entries().begin(), kept_.entries().end());
  add_pending(all);
  sort_by_time(all);
  return all;
}

std::vector<Decision> Gang::pending() const {
  std::lock_guard lock(deciding_);
  std::vector<Decision> open;
  add_pending(open);
  return open;
}

std::vector<TimelinePoint> Gang::timeline() const {
  std::lock_guard lock(deciding_);
  return timeline_.points();
}

}  // namespace charm::controller
