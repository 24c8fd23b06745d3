#include "controller/gang.hpp"

#include <utility>

namespace charm::controller {

Gang::Gang(int workers, std::unique_ptr<Controller> controller, double now)
    : published_(static_cast<std::size_t>(workers)),
      controller_(std::move(controller)),
      period_(controller_->period()),
      next_tick_(now + period_),
      spread_(controller_->spread()) {
  before_.time = now;
}

int Gang::poll(int worker, const Counts& counts, double now) {
  Published& mine = published_[static_cast<std::size_t>(worker)];
  mine.busy.store(counts.busy, std::memory_order_relaxed);
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
  since.busy -= before_.busy;
  since.tasks -= before_.tasks;
  since.user_work -= before_.user_work;
  since.task_work -= before_.task_work;
  since.instructions -= before_.instructions;
  for (std::size_t e = 0; e < fill_sources; ++e) since.fills[e] -= before_.fills[e];
  if (since.elapsed <= 0) return;  // overtaken by a leader of a later tick
  before_ = sum;
  spread_.store(controller_->tick(since), std::memory_order_relaxed);
}

std::vector<Decision> Gang::decisions() const {
  std::lock_guard lock(deciding_);
  const auto& entries = controller_->log().entries();
  return {entries.begin(), entries.end()};
}

}  // namespace charm::controller
