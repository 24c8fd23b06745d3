// The meter of one worker counts what it has done, in numbers that a controller can use: time inside tasks, tasks, work
// in the program's units, and work by kind.
//
// Without hardware counters and without charm::add_work the progress of a program has to be estimated from what the
// runtime sees: iterations of loops and spawned tasks. A kind is one loop body or one task function. Its cost is
// measured when it is first seen and then kept, so that work = sum of count * cost is the time that all would have
// taken at that speed. This unit does not change when the workers move, which is what throughput needs.
//
// Invariant: a Meter belongs to the thread that has the worker's slot, except for counted(). KindCosts is shared;
// entries are only ever added.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace charm::sched {

/// The cost of each kind of work, in seconds, as all workers see it.
class KindCosts {
 public:
  static constexpr std::size_t most = 64;
  static constexpr std::size_t none = most;
  static constexpr int enough_samples = 8;

  /// The kind's index; `none` if the table is full.
  std::size_t find(const void* kind) noexcept;
  /// Null if the entry is free.
  [[nodiscard]] const void* kind(std::size_t at) const noexcept {
    return entries_[at].kind.load(std::memory_order_relaxed);
  }
  /// Seconds that one of a kind takes; 0 until that is known.
  [[nodiscard]] double cost(std::size_t at) const noexcept {
    const Entry& entry = entries_[at];
    return entry.samples.load(std::memory_order_acquire) < enough_samples ? 0
                                                                          : entry.cost.load(std::memory_order_relaxed);
  }
  /// Adds a measured cost; those after the first few change nothing.
  void learn(std::size_t at, double seconds) noexcept;

 private:
  struct Entry {
    std::atomic<const void*> kind{nullptr};
    std::atomic<double> cost{0};  // mean of the samples
    std::atomic<int> samples{0};
  };
  std::array<Entry, most> entries_;
};

class Meter {
 public:
  explicit Meter(KindCosts& costs) : costs_(&costs) {}

  void begin_work(double now) noexcept {
    if (running_since_ == 0) running_since_ = checked_ = now;
  }
  void end_work(double now) noexcept {
    if (running_since_ == 0) return;
    settle(now);
    busy_ += now - running_since_;
    running_since_ = 0;
  }

  /// Counts `n` more of a kind.
  void count(const void* kind, double n) noexcept {
    if (kind != last_kind_) {
      last_kind_ = kind;
      last_ = costs_->find(kind);
      if (last_ != KindCosts::none) met_ |= std::uint64_t{1} << last_;
    }
    if (last_ != KindCosts::none) pending_[last_] += n;
  }

  /// Converts what was counted since the last call into work, and learns costs if one kind alone filled the time.
  void settle(double now) noexcept;

  [[nodiscard]] double busy() const noexcept { return busy_; }
  [[nodiscard]] double running_since() const noexcept { return running_since_; }
  [[nodiscard]] double work() const noexcept { return work_; }
  /// The count of the kind at an index of the costs, up to the last settling; any thread may call it.
  [[nodiscard]] double counted(std::size_t at) const noexcept { return counted_[at].load(std::memory_order_relaxed); }

 private:
  static constexpr int mixed_limit = 32;  // intervals of mixed kinds after which their mean is as good as it gets

  KindCosts* costs_;
  double busy_ = 0, running_since_ = 0, checked_ = 0, work_ = 0;
  std::array<double, KindCosts::most> pending_{};  // since the last settling
  std::uint64_t met_ = 0;                          // a bit for each kind that was counted since then
  static_assert(KindCosts::most <= 64);
  std::array<std::atomic<double>, KindCosts::most> counted_{};  // written by the owner alone
  const void* last_kind_ = nullptr;
  std::size_t last_ = KindCosts::none;
  int mixed_ = 0;
};

/// The number of boundaries until the clock is read again: as many as take about half a millisecond, so that boundaries
/// of nanoseconds pay nothing and boundaries of seconds are all seen.
class Cadence {
 public:
  int next(double now) noexcept {
    const double elapsed = now - last_;
    last_ = now;
    if (elapsed > 2 * aim) {
      every_ = std::max(1, static_cast<int>(every_ * aim / elapsed));
    } else if (elapsed < aim / 2 && every_ < most) {
      every_ *= 2;
    }
    return every_;
  }

 private:
  static constexpr double aim = 0.0005;  // s
  static constexpr int most = 64;        // boundaries that may turn long without being noticed
  double last_ = 0;
  int every_ = 1;
};

}  // namespace charm::sched
