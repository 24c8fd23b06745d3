#include "sched/control/meter.hpp"

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
  std::size_t kinds = 0;
  std::size_t one = 0;
  double all = 0;
  bool unknown = false;
  for (std::size_t at = 0; at < KindCosts::most; ++at) {
    if (pending_[at] <= 0) continue;
    ++kinds;
    one = at;
    all += pending_[at];
    unknown = unknown || costs_->cost(at) <= 0;
  }
  if (kinds == 0) return;
  if (unknown && elapsed > 0) {
    if (kinds == 1) {
      costs_->learn(one, elapsed / all);
    } else if (++mixed_ > mixed_limit) {
      for (std::size_t at = 0; at < KindCosts::most; ++at) {
        if (pending_[at] > 0 && costs_->cost(at) <= 0) costs_->learn(at, elapsed / all);
      }
    }
  }
  for (std::size_t at = 0; at < KindCosts::most; ++at) {
    if (pending_[at] <= 0) continue;  // the costs of kinds that were not met are not in this core's caches
    work_ += pending_[at] * costs_->cost(at);
    counted_[at].store(counted_[at].load(std::memory_order_relaxed) + pending_[at], std::memory_order_relaxed);
    pending_[at] = 0;
  }
}

}  // namespace charm::sched
