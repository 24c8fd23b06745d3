// Pools of idle task stacks, one for each node on which the stacks' pages are.
#include <charm/stats.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <vector>

#include "base/clock.hpp"
#include "sched/debug/tracing.hpp"
#include "sched/run/runtime.hpp"

namespace charm::sched {

fiber::Fiber* Runtime::take_fiber(int node) noexcept {
  FiberPool& fibers = pool(node);
  {
    std::lock_guard lock(fibers.mutex);
    if (!fibers.idle.empty()) {
      fiber::Fiber* fiber = fibers.idle.back();
      fibers.idle.pop_back();
      return fiber;
    }
  }
  try {
    const auto home = static_cast<std::size_t>(node);
    const bool placed = node >= 0 && machine.is_live() && machine.nodes.size() > 1 && bind != Bind::none;
    int os_node = placed ? machine.nodes[home].os_index : -1;
    if (const auto weights = placed ? weights_in_force() : nullptr)
      os_node = memory::normal_node(*weights, machine, os_node);
    fiber::Fiber* fiber = fiber::create(settings.stack_bytes, loop, os_node);
    fiber->home = node;
    fiber->runtime = this;
    fiber->card.id = main.next_task_id_.fetch_add(1, std::memory_order_relaxed);
    std::lock_guard lock(fibers.mutex);
    fibers.all.insert(fiber);
    ++fibers.made;
    fibers.most = std::max(fibers.most, fibers.all.size());
    tracing::stacks(this_worker(), fibers.all.size());
    return fiber;
  } catch (const std::exception& error) {
    // A waiting task needs a stack to leave its worker to; there is no way on without one.
    std::fprintf(stderr, "charm: %s\n", error.what());
    std::abort();
  }
}

std::shared_ptr<const memory::WeightPage> Runtime::weights_in_force() {
  if (settings.home != base::Home::traffic) return nullptr;
  return published_weights_.page(base::monotonic_seconds());
}

std::vector<StackPoolStats> Runtime::stack_pools() const {
  std::vector<StackPoolStats> all;
  for (const auto& fibers : pools_) {
    std::lock_guard lock(fibers->mutex);
    if (fibers->made == 0) continue;
    const std::uint64_t stacks = fibers->all.size();
    all.push_back(
        {fibers->node, stacks, fibers->idle.size(), fibers->most, fibers->made, stacks * settings.stack_bytes});
  }
  return all;
}

void Runtime::give_fiber(fiber::Fiber* fiber) noexcept {
  FiberPool& fibers = pool(fiber->home);
  std::lock_guard lock(fibers.mutex);
  if (fibers.idle.size() < most_idle_fibers) return fibers.idle.push_back(fiber);
  fibers.all.erase(fiber);
  fiber::destroy(fiber);
}

}  // namespace charm::sched
