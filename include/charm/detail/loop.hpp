// Shared by all loop schedules: how a body is called, how many indices to run between two checks, and what is
// counted for the controller (sched/control/meter.hpp).
#pragma once

#include <charm/detail/cancel_scope.hpp>
#include <charm/detail/scheduler.hpp>
#include <charm/detail/ticks.hpp>

#include <concepts>
#include <cstdint>
#include <utility>

namespace charm::detail {

/// Counts the indices of a loop that have run, and reports them to the controller by the hundred, not one by one.
class LoopCount {
 public:
  void add(std::int64_t count) noexcept { done_ += count; }
  /// Between two chunks: once in a while the worker checks for decisions and requests. On workers only.
  void boundary(const void* kind) noexcept {
    if (--until_boundary_ <= 0) until_boundary_ = loop_boundary(kind, std::exchange(done_, 0));
  }
  /// At the end of a range.
  void finish(const void* kind) noexcept {
    if (done_ > 0) count_work(kind, std::exchange(done_, 0));
  }

 private:
  std::int64_t done_ = 0;  // not reported yet
  int until_boundary_ = 1;
};

/// How many indices to run between two checks of the deque, and whether that takes long.
class Chunk {
 public:
  explicit Chunk(std::int64_t grain) noexcept : size_(grain > 0 ? grain : 1), settled_(grain > 0) {}
  [[nodiscard]] std::int64_t size() const noexcept { return size_; }

  /// Called before a chunk while the worker has a job that thieves may take. A thief that asks during a long chunk gets
  /// no answer and exposes the job, which interrupts this worker (Deque::expose): so the job is published beforehand.
  void prepare(Deque& deque) const noexcept {
    if (long_ && deque.has_private()) deque_poked(deque);
  }

  /// A chunk for the second half of a range: with the same learned size, and nothing done.
  [[nodiscard]] Chunk fork() const noexcept {
    Chunk learned = *this;
    learned.count_ = LoopCount();
    return learned;
  }

  /// As in LoopCount.
  void boundary(const void* kind) noexcept { count_.boundary(kind); }
  void finish(const void* kind) noexcept { count_.finish(kind); }

  /// Runs `body` over `count` indices and learns from the time it took; of a given size the first chunk is timed.
  template <class F>
  void run(std::int64_t count, F&& body) {
    count_.add(count);
    if ((settled_ && timed_) || count < size_) return body();  // too short to learn from
    std::uint64_t start = ticks();
    body();
    std::uint64_t took = ticks() - start;
    timed_ = true;
    long_ = took >= long_us * ticks_per_us();
    if (settled_) return;
    if (took >= ticks_per_us() || size_ > std::int64_t{1} << 58) {
      settled_ = ++slow_ == slow_enough;
    } else {
      size_ *= took < ticks_per_us() / 8 ? 8 : 2;
      slow_ = 0;
    }
  }

  /// The same for what is left of a range: nothing comes after it that would use what it could teach, and two looks at
  /// the clock cost more than a short loop.
  template <class F>
  void run_last(std::int64_t count, F&& body) {
    count_.add(count);
    body();
  }

 private:
  /// One slow chunk may be due to a page fault or a lost core; several in a row show the body's own time.
  static constexpr int slow_enough = 4;
  /// As long as a thief waits for an answer (sched/run/search.cpp: four questions, a microsecond apart).
  static constexpr std::uint64_t long_us = 4;

  std::int64_t size_;
  LoopCount count_;
  bool settled_;
  bool timed_ = false;
  bool long_ = false;
  signed char slow_ = 0;  // chunks in a row that took a microsecond or more
};

template <class Index>
Index index_at(Index base, std::int64_t offset) noexcept {
  return static_cast<Index>(static_cast<std::uint64_t>(base) + static_cast<std::uint64_t>(offset));
}

/// Whether a range has more indices than the loops count, 2^63 - 1; it is run as two then.
template <class Index>
bool exceeds_count(Index first, Index last) noexcept {
  return static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first) > std::uint64_t{INT64_MAX};
}
template <class Index>
Index middle_of(Index first, Index last) noexcept {
  return static_cast<Index>(static_cast<std::uint64_t>(first) +
                            (static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first)) / 2);
}

/// The first of `count` things that belongs to the `share`-th of `shares` equal shares.
inline std::int64_t share_begin(std::int64_t count, std::int64_t share, std::int64_t shares) noexcept {
  const std::int64_t rest = count % shares;
  return count / shares * share + (share < rest ? share : rest);
}

/// A range cut into blocks.
struct Blocks {
  std::int64_t low, high, grain;
  [[nodiscard]] std::int64_t count() const noexcept { return (high - low) / grain + ((high - low) % grain != 0); }
  [[nodiscard]] std::int64_t begin_of(std::int64_t block) const noexcept { return low + block * grain; }
  [[nodiscard]] std::int64_t end_of(std::int64_t block) const noexcept {
    const std::int64_t begin = begin_of(block);
    return high - begin < grain ? high : begin + grain;
  }
};

template <class Index, class F>
void run_block(F& body, Index low, Index high) {
  if constexpr (std::invocable<F&, Index, Index>) {
    body(low, high);
  } else {
    for (Index i = low; i < high; ++i) body(i);
  }
}

/// Tells the loops of one body from all others, whatever their schedule.
template <class Index, class F>
const void* kind_of_loop() noexcept {
  return reinterpret_cast<const void*>(&run_block<Index, F>);
}

}  // namespace charm::detail
