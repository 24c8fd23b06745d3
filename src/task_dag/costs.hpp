// What nodes of each kind cost, measured while graphs run: the features of the selectors.
//
// One node in 32 is timed, by its address, and every node of a kind that is hardly known. Samples are weighted
// exponentially, so that costs follow the data. Two workers may write at once; a sample is lost then.
#pragma once

#include <charm/detail/ticks.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace charm::task_dag {

class Costs {
 public:
  static constexpr std::size_t most_kinds = 1024;
  static constexpr std::uint32_t few = 16;  // samples of a kind that is hardly known
  static constexpr float weight = 1.0F / 16;

  [[nodiscard]] bool hardly_known(std::uint16_t kind) const noexcept {
    return entries_[kind].samples.load(std::memory_order_relaxed) < few;
  }
  void learn(std::uint16_t kind, std::uint64_t ticks) noexcept {
    Entry& entry = entries_[kind];
    const std::uint32_t samples = entry.samples.load(std::memory_order_relaxed);
    const float mean = entry.mean.load(std::memory_order_relaxed);
    const float variance = entry.variance.load(std::memory_order_relaxed);
    const float share = samples < few ? 1.0F / static_cast<float>(samples + 1) : weight;
    const float difference = static_cast<float>(ticks) - mean;
    entry.mean.store(mean + share * difference, std::memory_order_relaxed);
    entry.variance.store((1 - share) * (variance + share * difference * difference), std::memory_order_relaxed);
    if (samples != UINT32_MAX) entry.samples.store(samples + 1, std::memory_order_relaxed);
  }
  /// Forgets all kinds, while no graph runs.
  void forget() noexcept {
    for (Entry& entry : entries_) entry.samples.store(0, std::memory_order_relaxed);
  }
  struct Cost {
    double mean, variance;  // in ticks, and their square
    std::uint32_t samples;
  };
  [[nodiscard]] Cost of(std::uint16_t kind) const noexcept {
    const Entry& entry = entries_[kind];
    return {entry.mean.load(std::memory_order_relaxed), entry.variance.load(std::memory_order_relaxed),
            entry.samples.load(std::memory_order_relaxed)};
  }

 private:
  struct Entry {
    std::atomic<float> mean{0}, variance{0};
    std::atomic<std::uint32_t> samples{0};
  };
  std::array<Entry, most_kinds> entries_;
};

/// The costs of the process: those of a kind do not depend on the runtime that runs it.
inline constinit Costs costs;

/// Begins to measure the length of a tick.
void start_clock() noexcept;
/// The mean length of a tick since then; waits until a millisecond after, if that has not passed.
[[nodiscard]] double ns_per_tick() noexcept;

/// Times the call of a node if it is one of the sample.
class Timed {
 public:
  Timed(std::uint16_t kind, const void* node) noexcept : kind_(kind) {
    if ((reinterpret_cast<std::uintptr_t>(node) >> 6U) % 32 != 0 && !costs.hardly_known(kind)) [[likely]]
      return;
    start_ = detail::ticks();
  }
  ~Timed() {
    if (start_ != 0) [[unlikely]]
      costs.learn(kind_, detail::ticks() - start_);
  }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  std::uint16_t kind_;
  std::uint64_t start_ = 0;
};

}  // namespace charm::task_dag
