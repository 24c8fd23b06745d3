#include "sched/control/meter.hpp"

#include <bit>
#include <utility>

namespace charm::sched {

std::size_t KindCosts::find(const void* kind) noexcept {
  const std::size_t start = (reinterpret_cast<std::uintptr_t>(kind) >> 4U) % most;
  for (std::size_t i = 0; i < most; ++i) {
    const std::size_t at = (start + i) % most;
    const void* there = entries_[at].kind.load(std::memory_order_relaxed);
    if (there == kind) return at;
    if (there != nullptr) continue;
    if (entries_[at].kind.compare_exchange_strong(there, kind, std::memory_order_relaxed) || there == kind) return at;
  }
  return none;
}

void KindCosts::learn(std::size_t at, double seconds) noexcept {
  Entry& entry = entries_[at];
  int seen = entry.samples.load(std::memory_order_relaxed);
  if (seen >= enough_samples) return;
  // Two workers may write at once; a sample is lost then, and another comes.
  const double mean = entry.cost.load(std::memory_order_relaxed);
  entry.cost.store(mean + (seconds - mean) / (seen + 1), std::memory_order_relaxed);
  entry.samples.compare_exchange_strong(seen, seen + 1, std::memory_order_release, std::memory_order_relaxed);
}

void Meter::settle(double now) noexcept {
  const double elapsed = now - checked_;
  checked_ = now;
  // A worker that finds a job every few microseconds settles as often, and has met few kinds.
  const std::uint64_t met = std::exchange(met_, 0);
  if (met == 0) return;
  last_kind_ = nullptr;
  last_ = KindCosts::none;
  double all = 0;
  bool unknown = false;
  for (std::uint64_t left = met; left != 0; left &= left - 1) {
    const auto at = static_cast<std::size_t>(std::countr_zero(left));
    all += pending_[at];
    unknown = unknown || costs_->cost(at) <= 0;
  }
  if (unknown && elapsed > 0 && all > 0) {
    if (std::has_single_bit(met)) {
      costs_->learn(static_cast<std::size_t>(std::countr_zero(met)), elapsed / all);
    } else if (++mixed_ > mixed_limit) {
      for (std::uint64_t left = met; left != 0; left &= left - 1) {
        const auto at = static_cast<std::size_t>(std::countr_zero(left));
        if (costs_->cost(at) <= 0) costs_->learn(at, elapsed / all);
      }
    }
  }
  for (std::uint64_t left = met; left != 0; left &= left - 1) {
    const auto at = static_cast<std::size_t>(std::countr_zero(left));
    work_ += pending_[at] * costs_->cost(at);
    counted_[at].store(counted_[at].load(std::memory_order_relaxed) + pending_[at], std::memory_order_relaxed);
    pending_[at] = 0;
  }
}

}  // namespace charm::sched
