#include "sched/control/core_turns.hpp"

#include "base/clock.hpp"
#include "sched/debug/delays.hpp"

namespace charm::sched {

CoreTurns::CoreTurns(int cpus) : cpus_(cpus), cores_(new Core[static_cast<std::size_t>(cpus)]) {}

void CoreTurns::note_first(Core& core) noexcept {
  core.first_waiting.store(core.first == nullptr ? -1 : core.first->rank, std::memory_order_relaxed);
}

bool CoreTurns::try_take(Contender& contender, int cpu) noexcept {
  contender.since_ns = base::monotonic_ns();
  if (!has(cpu)) return true;
  Core& at = core(cpu);
  const std::lock_guard lock(at.mutex);
  if (at.holder.load(std::memory_order_relaxed) != nullptr) return false;
  at.holder.store(&contender, std::memory_order_relaxed);
  contender.cpu = cpu;
  return true;
}

bool CoreTurns::take(Contender& contender, int cpu) noexcept {
  if (try_take(contender, cpu)) return true;
  Core& at = core(cpu);
  const std::int64_t until = contender.since_ns + times.patience[static_cast<std::size_t>(contender.rank)].count();
  {
    const std::lock_guard lock(at.mutex);
    if (at.holder.load(std::memory_order_relaxed) == nullptr) {
      at.holder.store(&contender, std::memory_order_relaxed);
      contender.cpu = cpu;
      return true;
    }
    contender.granted.store(0, std::memory_order_relaxed);
    contender.waits_since_ns = contender.since_ns;
    Contender** place = &at.first;
    while (*place != nullptr && (*place)->rank >= contender.rank) place = &(*place)->next;
    contender.next = *place;
    *place = &contender;
    note_first(at);
  }
  while (contender.granted.load(std::memory_order_acquire) == 0) {
    const std::int64_t left = until - base::monotonic_ns();
    if (left > 0) {
      os::futex_wait(contender.granted, 0, std::chrono::nanoseconds(left));
      continue;
    }
    const std::lock_guard lock(at.mutex);
    if (contender.granted.load(std::memory_order_relaxed) != 0) break;
    Contender** place = &at.first;
    while (*place != &contender) place = &(*place)->next;
    *place = contender.next;
    note_first(at);
    contender.since_ns = base::monotonic_ns();
    return false;
  }
  contender.cpu = cpu;
  contender.since_ns = base::monotonic_ns();
  return true;
}

void CoreTurns::leave(Contender& contender) noexcept {
  if (contender.cpu < 0) return;
  delay_between_steps();
  Core& at = core(contender.cpu);
  contender.cpu = -1;
  const std::lock_guard lock(at.mutex);
  Contender* next = at.first;
  at.holder.store(next, std::memory_order_relaxed);
  if (next == nullptr) return;
  at.first = next->next;
  note_first(at);
  // It may go on, and be gone, as soon as the word is written: waking an address that is gone is harmless.
  next->granted.store(1, std::memory_order_release);
  os::futex_wake(next->granted, 1);
}

bool CoreTurns::should_yield(const Contender& contender) const noexcept {
  const bool slice_over = base::monotonic_ns() - contender.since_ns >= times.slice.count();
  if (contender.cpu < 0) return slice_over;
  const Rank waiting = core(contender.cpu).first_waiting.load(std::memory_order_relaxed);
  return waiting > contender.rank || (waiting == contender.rank && slice_over);
}

bool CoreTurns::taken(const Contender& contender, int cpu) const noexcept {
  if (!has(cpu)) return false;
  const Contender* holder = core(cpu).holder.load(std::memory_order_relaxed);
  return holder != nullptr && holder != &contender;
}

int CoreTurns::waiting(int cpu) const noexcept {
  const std::lock_guard lock(core(cpu).mutex);
  int count = 0;
  for (const Contender* each = core(cpu).first; each != nullptr; each = each->next) ++count;
  return count;
}

}  // namespace charm::sched
