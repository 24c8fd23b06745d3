// Makes fibers, where the pools have none: on the node of the worker that takes one, or where the malloc's weights say.
#include <charm/stats.hpp>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>

#include "base/clock.hpp"
#include "sched/debug/tracing.hpp"
#include "sched/run/runtime.hpp"

namespace charm::sched {

fiber::Fiber* Runtime::make_fiber(int node) {
  const auto home = static_cast<std::size_t>(node);
  const bool placed = node >= 0 && machine.is_live() && machine.nodes.size() > 1 && settings.bind != Bind::none;
  int os_node = placed ? machine.nodes[home].os_index : -1;
  if (const auto weights = placed ? weights_in_force() : nullptr)
    os_node = memory::normal_node(*weights, machine, os_node);
  std::unique_ptr<fiber::Fiber, void (*)(fiber::Fiber*)> fiber(fiber::create(settings.stack_bytes, loop, os_node),
                                                               [](fiber::Fiber* made) { fiber::destroy(made); });
  fiber->home = node;
  fiber->runtime = this;
  fiber->card.id = main.next_task_id_.fetch_add(1, std::memory_order_relaxed);
  const std::size_t exist = stacks.add(*fiber);
  Worker* const here = this_worker();
  tracing::stacks(here != nullptr && here->runtime == this ? here : nullptr, exist);
  return fiber.release();
}

fiber::Fiber* Runtime::take_fiber(int node) noexcept {
  if (fiber::Fiber* idle = stacks.take_idle(node)) return idle;
  try {
    return make_fiber(node);
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

}  // namespace charm::sched
