#include "task_dag/levels.hpp"

#include <charm/detail/cancel_scope.hpp>
#include <charm/detail/loop.hpp>
#include <charm/detail/stack_room.hpp>

#include <utility>

#include "task_dag/graph_state.hpp"
#include "task_dag/idle_workers.hpp"

namespace charm::task_dag {

using detail::WithScope;
using sched::Worker;

Levels::Levels(sched::Runtime& runtime, GraphRun& run) : runtime_(runtime), run_(run) {
  parts_.reserve(runtime.workers.size());
  for (std::size_t i = 0; i < runtime.workers.size(); ++i) parts_.emplace_back(*this);
  reserved_.reserve(runtime.workers.size());
}

void Levels::Part::start(detail::Job* job) noexcept {
  auto* part = static_cast<Part*>(job);
  sched::this_worker()->reserved.store(false, std::memory_order_release);
  GraphRun& run = part->levels->run_;
  bool last;
  {
    const WithScope within(&run.scope);
    last = part->levels->run_part(std::exchange(part->nodes, {})) && part->levels->run_levels();
  }
  if (last) run.done.complete(true);
}

/// \return whether it was the last part of the level.
bool Levels::run_part(NodeList nodes) noexcept {
  const std::int64_t count = nodes.count;
  NodeList ready;
  Chain(run_).batch(nodes, ready);
  if (ready.count > 0) {
    const std::lock_guard lock(mutex_);
    next_.append(ready);
  }
  return left_.fetch_sub(count, std::memory_order_acq_rel) == count;
}

bool Levels::run_levels() noexcept {
  for (;;) {
    NodeList level = std::exchange(next_, {});  // all parts have ended
    if (level.count == 0) return true;
    const std::int64_t count = level.count;
    left_.store(count, std::memory_order_relaxed);
    const Worker& here = *sched::this_worker();
    if (count > 1)
      reserve_idle_workers(runtime_, here, static_cast<std::size_t>(count - 1), reserved_);
    else
      reserved_.clear();
    const auto shares = static_cast<std::int64_t>(reserved_.size()) + 1;
    NodeList own = level.take(detail::share_begin(count, 1, shares));
    for (std::int64_t share = 1; share < shares; ++share) {
      Worker& worker = *reserved_[static_cast<std::size_t>(share - 1)];
      Part& part = parts_[static_cast<std::size_t>(worker.id)];
      part.nodes =
          level.take(detail::share_begin(count, share + 1, shares) - detail::share_begin(count, share, shares));
      runtime_.post(worker, &part);
    }
    if (!run_part(own)) return false;
  }
}

bool Levels::begin(GraphState& graph) noexcept {
  Chain(run_).gather(graph, next_);
  return run_levels();
}

void run_levels(GraphState& graph, GraphRun& run) {
  Levels levels(*sched::this_worker()->runtime, run);
  detail::with_stack_room(detail::this_worker(), [&] {
    bool last;
    {
      const WithScope within(&run.scope);
      last = levels.begin(graph);
    }
    if (last) run.done.complete();
  });
  run.done.wait({detail::Wait::group, &graph});
}

}  // namespace charm::task_dag
