// Parallel loops and reductions over index ranges, split lazily: a worker runs its range in chunks, and only when its
// deque is empty, so that thieves would find nothing, it forks the second half of what is left (Tzannes et al., "Lazy
// binary-splitting", 2010). A loop that nobody helps with costs little more than a sequential one.
#pragma once

#include <charm/detail/ticks.hpp>
#include <charm/invoke.hpp>
#include <charm/runtime.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace charm {

struct LoopOptions {
  /// Indices that are run without looking for helpers; 0: found while running, so that a chunk takes a few
  /// microseconds.
  std::int64_t grain = 0;
};

namespace detail {

/// How many indices to run between two looks at the deque.
class Chunk {
 public:
  explicit Chunk(std::int64_t grain) noexcept : size_(grain > 0 ? grain : 1), settled_(grain > 0) {}
  [[nodiscard]] std::int64_t size() const noexcept { return size_; }

  /// For the second half of a range: what was learned, and nothing done.
  [[nodiscard]] Chunk fork() const noexcept {
    Chunk learned = *this;
    learned.done_ = 0;
    learned.until_boundary_ = 1;
    return learned;
  }

  /// Between two chunks of a loop: once in a while the worker looks up from it.
  void boundary(const void* kind) noexcept {
    if (--until_boundary_ <= 0) until_boundary_ = loop_boundary(kind, std::exchange(done_, 0));
  }
  /// At the end of a range.
  void finish(const void* kind) noexcept {
    if (done_ > 0) count_work(kind, std::exchange(done_, 0));
  }

  /// Runs `body` over `count` indices and learns from the time it took.
  template <class F>
  void run(std::int64_t count, F&& body) {
    done_ += count;
    if (settled_ || count < size_) return body();  // the rest of a range says little
    std::uint64_t start = ticks();
    body();
    std::uint64_t took = ticks() - start;
    if (took >= ticks_per_us())
      settled_ = true;
    else
      size_ *= took < ticks_per_us() / 8 ? 8 : 2;
  }

 private:
  std::int64_t size_;
  std::int64_t done_ = 0;  // indices that are not counted yet
  int until_boundary_ = 1;
  bool settled_;
};

template <class I, class F>
void run_block(F& body, I low, I high) {
  if constexpr (std::invocable<F&, I, I>) {
    body(low, high);
  } else {
    for (I i = low; i < high; ++i) body(i);
  }
}

/// Indices are counted from `base` in 64 bits, so that ranges of any integral type cannot overflow on the way.
template <class I, class F>
void for_range(I base, std::int64_t low, std::int64_t high, Chunk& chunk, F& body) {
  auto at = [base](std::int64_t offset) { return static_cast<I>(static_cast<std::int64_t>(base) + offset); };
  const void* kind = reinterpret_cast<const void*>(&for_range<I, F>);
  while (low < high) {
    std::int64_t rest = high - low;
    if (rest <= chunk.size()) {
      chunk.run(rest, [&] { run_block(body, at(low), at(high)); });
      return chunk.finish(kind);
    }
    WorkerCore* worker = this_worker();
    if (!worker->deque.empty()) {
      std::int64_t end = low + chunk.size();
      chunk.run(chunk.size(), [&] { run_block(body, at(low), at(end)); });
      low = end;
      chunk.boundary(kind);
      this_worker()->deque.answer();
      continue;
    }
    std::int64_t middle = low + rest / 2;
    auto second = [&body, base, middle, high, learned = chunk.fork()]() mutable {
      for_range(base, middle, high, learned, body);
    };
    ForkedJob<decltype(second)> job(second);
    std::int64_t index = worker->deque.push(&job);
    if (index == Deque::full) return run_block(body, at(low), at(high));
    try {
      for_range(base, low, middle, chunk, body);
    } catch (...) {
      if (!take_back(worker, index, job)) job.wait();
      throw;
    }
    if (!take_back(worker, index, job)) return job.join();
    low = middle;  // nobody came for it
  }
}

}  // namespace detail

/// Calls `body(i)`, or `body(low, high)` for blocks, so that every index of [first, last) is covered exactly once, and
/// returns when all calls have. Blocks hold at most `grain` indices unless the whole range does. The first exception
/// stops what has not started of its branch and leaves the loop when the other branches are done.
template <std::integral I, class F>
void parallel_for(I first, I last, F&& body, LoopOptions options = {}) {
  if (!(first < last)) return;
  if (detail::this_worker() == nullptr) return run([&] { parallel_for(first, last, body, options); });
  auto count = static_cast<std::int64_t>(static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first));
  detail::Chunk chunk(options.grain);
  detail::for_range(first, 0, count, chunk, body);
}

}  // namespace charm
