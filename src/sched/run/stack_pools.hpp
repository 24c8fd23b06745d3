// Pools of idle fibers, one for each node on which the pages of their stacks are: those beyond the few that every
// worker keeps. A fiber comes back to the pool that it was made for, from wherever its last task has ended.
#pragma once

#include <charm/detail/assert.hpp>
#include <charm/stats.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <vector>

#include "fiber/fiber.hpp"

namespace charm::sched {

class StackPools {
 public:
  static constexpr std::size_t most_idle = 256;  // of a node; further ones are given back to the system

  explicit StackPools(std::size_t nodes) {
    for (std::size_t n = 0; n < nodes + 1; ++n) {
      pools_.push_back(std::make_unique<Pool>());
      pools_.back()->node = static_cast<int>(n) - 1;
    }
  }

  /// \param node -1: of workers that are not bound. \return null if no fiber is idle there; the caller makes one.
  fiber::Fiber* take_idle(int node) noexcept {
    Pool& pool = of(node);
    const std::lock_guard lock(pool.mutex);
    if (pool.idle.empty()) return nullptr;
    fiber::Fiber* fiber = pool.idle.back();
    pool.idle.pop_back();
    return fiber;
  }
  /// A fiber that was made for fiber.home, and runs. \return how many of that node exist now.
  std::size_t add(fiber::Fiber& fiber) {
    Pool& pool = of(fiber.home);
    const std::lock_guard lock(pool.mutex);
    CHARM_ASSERT(pool.all.count(&fiber) == 0, "a fiber is added to its pool once");
    pool.all.insert(&fiber);
    ++pool.made;
    pool.most = std::max(pool.most, pool.all.size());
    return pool.all.size();
  }
  /// A fiber that no worker keeps any more. It may be destroyed.
  void give(fiber::Fiber& fiber) noexcept {
    Pool& pool = of(fiber.home);
    const std::lock_guard lock(pool.mutex);
    CHARM_ASSERT(pool.all.count(&fiber) == 1, "a fiber comes back to the pool that it was made for");
    CHARM_ASSERT(std::find(pool.idle.begin(), pool.idle.end(), &fiber) == pool.idle.end(), "a fiber comes back once");
    if (pool.idle.size() < most_idle) return pool.idle.push_back(&fiber);
    pool.all.erase(&fiber);
    fiber::destroy(&fiber);
  }

  /// Calls `function` for every fiber. None is made or destroyed meanwhile.
  template <class F>
  void for_each(F&& function) const {
    for (const auto& pool : pools_) {
      const std::lock_guard lock(pool->mutex);
      for (fiber::Fiber* fiber : pool->all) function(*fiber);
    }
  }
  [[nodiscard]] std::vector<fiber::Fiber*> all() const {
    std::vector<fiber::Fiber*> fibers;
    for_each([&](fiber::Fiber& fiber) { fibers.push_back(&fiber); });
    return fibers;
  }
  [[nodiscard]] std::vector<StackPoolStats> stats(std::size_t stack_bytes) const {
    std::vector<StackPoolStats> all;
    for (const auto& pool : pools_) {
      const std::lock_guard lock(pool->mutex);
      if (pool->made == 0) continue;
      const std::uint64_t stacks = pool->all.size();
      all.push_back({pool->node, stacks, pool->idle.size(), pool->most, pool->made, stacks * stack_bytes});
    }
    return all;
  }

 private:
  friend struct GdbLayout;
  struct Pool {
    int node = -1;
    mutable std::mutex mutex;
    std::vector<fiber::Fiber*> idle;
    std::unordered_set<fiber::Fiber*> all;
    std::size_t most = 0;  // largest number that existed at a time
    std::uint64_t made = 0;
  };
  [[nodiscard]] Pool& of(int node) const noexcept {
    CHARM_ASSERT(node >= -1 && node + 1 < static_cast<int>(pools_.size()), "every node has a pool");
    return *pools_[static_cast<std::size_t>(node) + 1];
  }
  std::vector<std::unique_ptr<Pool>> pools_;  // [node + 1]; [0]: unbound workers, whose node is -1
};

}  // namespace charm::sched
