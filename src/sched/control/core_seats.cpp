#include "sched/control/core_seats.hpp"

#include "base/clock.hpp"

namespace charm::sched {

CoreSeats::CoreSeats(int cpus) : cpus_(cpus), seats_(new Seat[static_cast<std::size_t>(cpus)]) {}

void CoreSeats::note_first(Seat& seat) noexcept {
  seat.first_waiting.store(seat.first == nullptr ? -1 : seat.first->rank, std::memory_order_relaxed);
}

bool CoreSeats::try_take(Sitter& sitter, int cpu) noexcept {
  sitter.since_ns = base::monotonic_ns();
  if (!has(cpu)) return true;
  Seat& at = seat(cpu);
  const std::lock_guard lock(at.mutex);
  if (at.holder.load(std::memory_order_relaxed) != nullptr) return false;
  at.holder.store(&sitter, std::memory_order_relaxed);
  sitter.cpu = cpu;
  return true;
}

bool CoreSeats::take(Sitter& sitter, int cpu) noexcept {
  if (try_take(sitter, cpu)) return true;
  Seat& at = seat(cpu);
  const std::int64_t until = sitter.since_ns + times.patience[static_cast<std::size_t>(sitter.rank)].count();
  {
    const std::lock_guard lock(at.mutex);
    if (at.holder.load(std::memory_order_relaxed) == nullptr) {
      at.holder.store(&sitter, std::memory_order_relaxed);
      sitter.cpu = cpu;
      return true;
    }
    sitter.granted.store(0, std::memory_order_relaxed);
    sitter.waits_since_ns = sitter.since_ns;
    Sitter** place = &at.first;
    while (*place != nullptr && (*place)->rank >= sitter.rank) place = &(*place)->next;
    sitter.next = *place;
    *place = &sitter;
    note_first(at);
  }
  while (sitter.granted.load(std::memory_order_acquire) == 0) {
    const std::int64_t left = until - base::monotonic_ns();
    if (left > 0) {
      os::futex_wait(sitter.granted, 0, std::chrono::nanoseconds(left));
      continue;
    }
    const std::lock_guard lock(at.mutex);
    if (sitter.granted.load(std::memory_order_relaxed) != 0) break;
    Sitter** place = &at.first;
    while (*place != &sitter) place = &(*place)->next;
    *place = sitter.next;
    note_first(at);
    sitter.since_ns = base::monotonic_ns();
    return false;
  }
  sitter.cpu = cpu;
  sitter.since_ns = base::monotonic_ns();
  return true;
}

void CoreSeats::leave(Sitter& sitter) noexcept {
  if (sitter.cpu < 0) return;
  Seat& at = seat(sitter.cpu);
  sitter.cpu = -1;
  const std::lock_guard lock(at.mutex);
  Sitter* next = at.first;
  at.holder.store(next, std::memory_order_relaxed);
  if (next == nullptr) return;
  at.first = next->next;
  note_first(at);
  // It may go on, and be gone, as soon as the word is written: waking an address that is gone is harmless.
  next->granted.store(1, std::memory_order_release);
  os::futex_wake(next->granted, 1);
}

bool CoreSeats::should_yield(const Sitter& sitter) const noexcept {
  const bool slice_over = base::monotonic_ns() - sitter.since_ns >= times.slice.count();
  if (sitter.cpu < 0) return slice_over;
  const Rank waiting = seat(sitter.cpu).first_waiting.load(std::memory_order_relaxed);
  return waiting > sitter.rank || (waiting == sitter.rank && slice_over);
}

bool CoreSeats::taken(const Sitter& sitter, int cpu) const noexcept {
  if (!has(cpu)) return false;
  const Sitter* holder = seat(cpu).holder.load(std::memory_order_relaxed);
  return holder != nullptr && holder != &sitter;
}

int CoreSeats::waiting(int cpu) const noexcept {
  const std::lock_guard lock(seat(cpu).mutex);
  int count = 0;
  for (const Sitter* each = seat(cpu).first; each != nullptr; each = each->next) ++count;
  return count;
}

}  // namespace charm::sched
