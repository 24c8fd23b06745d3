// The program's interface to the controller (charm/adaptive.hpp), and the counting of loops and tasks for it.
#include <charm/adaptive.hpp>
#include <charm/detail/scheduler.hpp>

#include <utility>

#include "sched/run/runtime.hpp"
#include "sched/run/visit.hpp"

namespace charm::detail {

void add_work_outside(double units) noexcept {
  if (const sched::Visit runtime(std::nothrow); runtime) runtime->steering->add_work(units);
}

void count_work(const void* kind, std::int64_t count) noexcept {
  if (sched::Worker* worker = sched::this_worker()) sched::Steering::count(*worker, kind, static_cast<double>(count));
}

int loop_boundary(const void* kind, std::int64_t count) noexcept {
  sched::Worker* worker = sched::this_worker();
  sched::Steering& steering = *worker->runtime->steering;
  sched::Steering::count(*worker, kind, static_cast<double>(count));
  const int chunks = steering.chunk(*worker);
  worker->share_core();
  return chunks;
}

}  // namespace charm::detail

namespace charm {

using sched::Visit;

region::region(std::string_view name) : ticket_(0) {
  if (const Visit runtime(std::nothrow); runtime) ticket_ = runtime->steering->enter_region(name);
}

region::~region() {
  if (ticket_ == 0) return;
  if (const Visit runtime(std::nothrow); runtime) runtime->steering->leave_region(ticket_);
}

std::vector<Decision> decisions() { return Visit()->steering->decisions(); }

std::vector<TimelinePoint> timeline() { return Visit()->steering->records().timeline(); }

void on_decision(std::function<void(const Decision&)> listener) {
  Visit()->steering->records().listen(std::move(listener));
}

}  // namespace charm
