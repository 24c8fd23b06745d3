// Parallel reductions over index ranges: split lazily like parallel_for, or along a fixed tree.
#pragma once

#include <charm/parallel_for.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <utility>

namespace charm {

/// How a reduction is split.
struct ReduceOptions {
  /// Indices that are run without looking for helpers; 0: found by itself. With `deterministic`, the size of a leaf.
  std::int64_t grain = 0;
  /// The same result, to the last bit, for any number of workers and any timing: the range is cut into leaves whose
  /// size depends on its length alone, and their results are combined along a balanced tree. It costs one more
  /// `identity` and one more `combine` a leaf than a sequential loop, at most 4096 of each unless `grain` says
  /// otherwise; nothing else, so prefer it where `combine` is cheap.
  bool deterministic = false;
};

namespace detail {

template <class I, class T, class F, class C>
T reduce_lazy(I base, std::int64_t low, std::int64_t high, Chunk& chunk, FailScope& loop, T sum, const T& identity,
              F& body, C& combine) {
  while (low < high && !loop.cancelled()) {
    std::int64_t rest = high - low;
    WorkerCore* worker = this_worker();
    bool whole = rest <= chunk.size();
    if (whole || !worker->deque.empty()) {
      std::int64_t end = whole ? high : low + chunk.size();
      chunk.run(end - low, [&] { sum = body(index_at(base, low), index_at(base, end), std::move(sum)); });
      low = end;
      this_worker()->deque.answer();
      continue;
    }
    std::int64_t middle = low + rest / 2;
    auto second = [&, base, middle, high, learned = chunk]() mutable {
      try {
        return reduce_lazy(base, middle, high, learned, loop, identity, identity, body, combine);
      } catch (...) {
        loop.fail();  // at once, so that the others stop
        throw;
      }
    };
    ForkedJob<decltype(second)> job(second, worker);
    std::int64_t index = worker->deque.push(&job);
    if (index == Deque::full) return body(index_at(base, low), index_at(base, high), std::move(sum));
    try {
      sum = reduce_lazy(base, low, middle, chunk, loop, std::move(sum), identity, body, combine);
    } catch (...) {
      loop.fail();
      if (!take_back(worker, index, job)) job.wait();
      throw;
    }
    if (!take_back(worker, index, job)) return combine(std::move(sum), job.join());
    low = middle;
  }
  return sum;
}

/// The results of leaves [low, high), combined along the tree that halves them. What is forked depends on timing, what
/// is combined with what does not.
template <class I, class T, class F, class C>
T reduce_tree(I base, const Blocks& leaves, std::int64_t low, std::int64_t high, FailScope& loop, const T& identity,
              F& body, C& combine) {
  if (high - low == 1) {
    this_worker()->deque.answer();
    if (loop.cancelled()) return identity;
    const std::int64_t begin = leaves.low + low * leaves.grain;
    const std::int64_t end = std::min(leaves.high - begin, leaves.grain) + begin;
    return body(index_at(base, begin), index_at(base, end), identity);
  }
  const std::int64_t middle = low + (high - low) / 2;
  auto part = [&](std::int64_t first, std::int64_t last) {
    try {
      return reduce_tree(base, leaves, first, last, loop, identity, body, combine);
    } catch (...) {
      loop.fail();
      throw;
    }
  };
  WorkerCore* worker = this_worker();
  if (worker->deque.empty()) {
    auto second = [&] { return part(middle, high); };
    ForkedJob<decltype(second)> job(second, worker);
    std::int64_t index = worker->deque.push(&job);
    if (index != Deque::full) {
      T left = [&] {
        try {
          return part(low, middle);
        } catch (...) {
          if (!take_back(worker, index, job)) job.wait();
          throw;
        }
      }();
      if (take_back(worker, index, job)) return combine(std::move(left), job.run_here());
      return combine(std::move(left), job.join());
    }
  }
  T left = part(low, middle);
  return combine(std::move(left), part(middle, high));
}

}  // namespace detail

/// `body(low, high, sum)` adds a block of indices to a partial result, `combine(left, right)` joins the results of two
/// neighbouring ranges; `identity` starts every partial result. `combine` must be associative but need not be
/// commutative. Unless `deterministic` is set, how the range is split depends on timing, so a floating-point sum may
/// differ in its last bits from call to call. Exceptions and cancellation as in parallel_for.
template <std::integral I, class T, class F, class C>
T parallel_reduce(I first, I last, T identity, F&& body, C&& combine, ReduceOptions options = {}) {
  if (!(first < last)) return identity;
  detail::WorkerCore* worker = detail::this_worker();
  if (worker == nullptr) return run([&] { return parallel_reduce(first, last, identity, body, combine, options); });
  auto count = static_cast<std::int64_t>(static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first));
  detail::FailScope loop(worker->scope);
  T result = [&]() -> T {
    detail::WithScope within(&loop);
    try {
      if (options.deterministic) {
        constexpr std::int64_t most_leaves = 4096;
        const std::int64_t grain =
            options.grain > 0 ? options.grain : std::max<std::int64_t>(1, (count - 1) / most_leaves + 1);
        const detail::Blocks leaves{0, count, grain};
        return detail::reduce_tree<I, T>(first, leaves, 0, leaves.count(), loop, identity, body, combine);
      }
      detail::Chunk chunk(options.grain);
      return detail::reduce_lazy<I, T>(first, 0, count, chunk, loop, identity, identity, body, combine);
    } catch (...) {
      loop.fail();
      return std::move(identity);
    }
  }();
  loop.finish();
  return result;
}

}  // namespace charm
