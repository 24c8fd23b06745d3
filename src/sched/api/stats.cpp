// Queries of the running runtime: charm::stats(), and the trace so far.
#include <charm/stats.hpp>
#include <charm/trace.hpp>

#include "base/notices.hpp"
#include "sched/run/oversubscription.hpp"
#include "sched/run/runtime.hpp"
#include "sched/run/visit.hpp"
#include "sched/run/worker.hpp"

namespace charm {

using sched::Runtime;

WorkerStats Stats::total() const {
  WorkerStats sum;
  for (const WorkerStats& w : workers) {
    sum.jobs += w.jobs;
    sum.steals_chiplet += w.steals_chiplet;
    sum.steals_node += w.steals_node;
    sum.steals_far += w.steals_far;
    sum.lost_races += w.lost_races;
    sum.suspensions += w.suspensions;
    sum.exposures += w.exposures;
    sum.parks += w.parks;
    sum.wakes += w.wakes;
    sum.migrations += w.migrations;
    sum.busy_ns += w.busy_ns;
    sum.searching_ns += w.searching_ns;
    sum.parked_ns += w.parked_ns;
  }
  return sum;
}

Stats stats() {
  const sched::Visit visit;
  Runtime& runtime = *visit;
  Stats stats;
  const double ns = runtime.clock().ns_per_tick();
  std::uint64_t resumptions = 0;
  std::uint64_t suspensions = 0;
  for (auto& worker : runtime.workers) {
    const sched::Tally& t = worker->tally;
    const auto ticks = worker->times.read(runtime.clock());
    auto spent = [&](trace::State state) {
      return static_cast<std::uint64_t>(static_cast<double>(ticks[static_cast<std::size_t>(state)]) * ns);
    };
    stats.workers.push_back({t.jobs, t.steals_chiplet, t.steals_node, t.steals_far, t.lost_races, t.suspensions,
                             t.exposures, t.parks, t.wakes, t.migrations, spent(trace::State::busy),
                             spent(trace::State::searching), spent(trace::State::parked)});
    resumptions += t.resumptions;
    suspensions += t.suspensions;
  }
  stats.stack_pools = runtime.stacks.stats(runtime.settings.stack_bytes);
  for (const StackPoolStats& pool : stats.stack_pools) stats.stacks += pool.stacks;
  stats.blocking_threads = runtime.waits.blocking->threads();
  stats.oversubscribed = sched::oversubscribed();
  stats.fibers = suspensions > resumptions ? suspensions - resumptions : 0;
  stats.notices = base::notices();
  const sched::Steering& steering = *runtime.steering;
  stats.policy = runtime.settings.policy;
  stats.adapts = steering.decides();
  stats.running_workers = steering.running_workers();
  stats.cpu_changes = steering.generation();
  stats.allowed_cpus = steering.allowed_cpus();
  stats.decisions = steering.decisions();
  stats.task_types = steering.task_types();
  return stats;
}

void trace_flush() {
  const sched::Visit runtime;
  if (runtime->recorder() != nullptr) runtime->recorder()->write();
}

}  // namespace charm
