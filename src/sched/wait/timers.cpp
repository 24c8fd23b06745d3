#include "sched/wait/timers.hpp"

#include <charm/detail/ticks.hpp>
#include <charm/detail/wait_list.hpp>

#include <algorithm>

#include "sched/run/runtime.hpp"

namespace charm::sched {

using detail::steady_now;

Timers::Timers(Runtime& runtime, std::size_t shards) : runtime_(runtime) {
  for (std::size_t i = 0; i < std::max<std::size_t>(shards, 1); ++i) {
    shards_.push_back(std::make_unique<Shard>());
    shards_.back()->chiplet = static_cast<int>(i);
  }
}

void Timers::add(Timer& timer, Worker& worker) noexcept {
  Shard& shard = shard_of(worker);
  timer.shard = shard.chiplet;
  std::lock_guard lock(shard.mutex);
  shard.heap.add(timer);
  shard.waiting.fetch_add(1, std::memory_order_relaxed);
  if (shard.heap.earliest() == &timer) shard.write_deadline();
}

void Timers::remove(Timer& timer) noexcept {
  Shard& shard = *shards_[static_cast<std::size_t>(timer.shard)];
  std::lock_guard lock(shard.mutex);
  bool first = shard.heap.earliest() == &timer;
  shard.heap.remove(timer);
  if (first) shard.write_deadline();
  shard.waiting.fetch_sub(1, std::memory_order_seq_cst);
}

bool Timers::pending() const noexcept {
  for (const auto& shard : shards_) {
    if (shard->waiting.load(std::memory_order_seq_cst) != 0) return true;
  }
  return false;
}

std::int64_t Timers::earliest() const noexcept {
  std::int64_t first = never;
  for (const auto& shard : shards_) first = std::min(first, shard->earliest.load(std::memory_order_seq_cst));
  return first;
}

void Timers::fire(Shard& shard, Worker& worker, std::int64_t now_ns) noexcept {
  if (shard.earliest.load(std::memory_order_relaxed) > now_ns) return;
  ListedJob* due = nullptr;  // latest first
  {
    std::lock_guard lock(shard.mutex);
    while (Timer* timer = shard.heap.earliest()) {
      if (timer->deadline_ns > now_ns) break;
      shard.heap.remove(*timer);
      if (fiber::Fiber* fiber = expire(*timer->state)) {
        fiber->next = due;
        due = fiber;
      }
    }
    shard.write_deadline();
  }
  ListedJob* in_order = nullptr;
  while (due != nullptr) {
    ListedJob* later = due;
    due = later->next;
    later->next = in_order;
    in_order = later;
  }
  const bool near = &shard == &shard_of(worker);
  while (in_order != nullptr) {
    auto* fiber = static_cast<fiber::Fiber*>(in_order);
    in_order = fiber->next;
    if (near || fiber->bound >= 0)
      make_ready(fiber, false);
    else
      runtime_.post_near(shard.chiplet, fiber);
  }
}

void Timers::fire_all(Worker& worker, std::int64_t now_ns) noexcept {
  if (earliest() == never) return;
  if (now_ns == 0) now_ns = steady_now();
  for (auto& shard : shards_) fire(*shard, worker, now_ns);
}

void Timers::look(Worker& worker) noexcept {
  Shard& shard = shard_of(worker);
  std::uint64_t ticks = detail::ticks();
  if (worker.looks_at_timers(ticks)) fire(shard, worker, steady_now());
  if (shard.earliest.load(std::memory_order_seq_cst) >= keeper_until_.load(std::memory_order_seq_cst)) return;
  if (!runtime_.anybody_asleep() || ringing_.exchange(true, std::memory_order_seq_cst)) return;
  Worker* keeper = keeper_.load(std::memory_order_seq_cst);
  if ((keeper == nullptr || !runtime_.ring(*keeper)) && !ring_somebody(worker))
    ringing_.store(false, std::memory_order_seq_cst);
}

std::int64_t Timers::sleep_limit(Worker& worker, bool parked) noexcept {
  ringing_.store(false, std::memory_order_seq_cst);
  if (!parked) {
    leave(worker);
    return -1;
  }
  Worker* keeper = keeper_.load(std::memory_order_seq_cst);
  for (;;) {
    std::int64_t next = earliest();
    if (keeper != &worker) {
      if (keeper != nullptr && keeper_until_.load(std::memory_order_seq_cst) <= next) return -1;
      // The role is free, or its holder would be late; it may go on sleeping and finds out when it wakes.
      if (!keeper_.compare_exchange_strong(keeper, &worker, std::memory_order_seq_cst)) continue;
      keeper = &worker;
    }
    keeper_until_.store(next, std::memory_order_seq_cst);
    if (Worker* now = keeper_.load(std::memory_order_seq_cst); now != &worker) {  // replaced: the word is not ours
      keeper_until_.store(never, std::memory_order_seq_cst);
      keeper = now;
      continue;
    }
    if (earliest() < next) continue;
    if (next == never) return -1;
    return std::max<std::int64_t>(next - steady_now(), 0);
  }
}

void Timers::leave(Worker& worker) noexcept {
  if (ringing_.load(std::memory_order_relaxed)) ringing_.store(false, std::memory_order_seq_cst);
  Worker* expected = &worker;
  if (keeper_.load(std::memory_order_relaxed) != &worker) return;
  keeper_until_.store(never, std::memory_order_seq_cst);
  if (!keeper_.compare_exchange_strong(expected, nullptr, std::memory_order_seq_cst)) return;
  if (earliest() != never) ring_somebody(worker);
}

bool Timers::ring_somebody(const Worker& not_this) noexcept {
  if (!runtime_.anybody_asleep()) return false;
  for (auto& other : runtime_.workers) {
    if (other.get() != &not_this && runtime_.ring(*other)) return true;
  }
  return false;
}

}  // namespace charm::sched
