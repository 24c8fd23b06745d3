// Parallel reductions over index ranges, split lazily like parallel_for.
#pragma once

#include <charm/parallel_for.hpp>

#include <concepts>
#include <cstdint>
#include <utility>

namespace charm {
namespace detail {

template <class I, class T, class F, class C>
T reduce_range(I base, std::int64_t low, std::int64_t high, Chunk& chunk, T sum, const T& identity, F& body,
               C& combine) {
  auto at = [base](std::int64_t offset) { return static_cast<I>(static_cast<std::int64_t>(base) + offset); };
  while (low < high) {
    std::int64_t rest = high - low;
    WorkerCore* worker = this_worker();
    bool whole = rest <= chunk.size();
    if (whole || !worker->deque.empty()) {
      std::int64_t end = whole ? high : low + chunk.size();
      chunk.run(end - low, [&] { sum = body(at(low), at(end), std::move(sum)); });
      low = end;
      continue;
    }
    std::int64_t middle = low + rest / 2;
    auto second = [&, base, middle, high, learned = chunk]() mutable {
      return reduce_range(base, middle, high, learned, identity, identity, body, combine);
    };
    ForkedJob<decltype(second)> job(second);
    std::int64_t index = worker->deque.push(&job);
    if (index == Deque::full) return body(at(low), at(high), std::move(sum));
    try {
      sum = reduce_range(base, low, middle, chunk, std::move(sum), identity, body, combine);
    } catch (...) {
      if (!take_back(worker, index, job)) job.wait();
      throw;
    }
    if (!take_back(worker, index, job)) return combine(std::move(sum), job.join());
    low = middle;
  }
  return sum;
}

}  // namespace detail

/// `body(low, high, sum)` adds a block of indices to a partial result, `combine(left, right)` joins the results of two
/// neighbouring ranges; `identity` starts every partial result. `combine` must be associative but need not be
/// commutative. How the range is split depends on timing, so a floating-point sum may differ in its last bits from call
/// to call. Exceptions as in parallel_for.
template <std::integral I, class T, class F, class C>
T parallel_reduce(I first, I last, T identity, F&& body, C&& combine, LoopOptions options = {}) {
  if (!(first < last)) return identity;
  if (detail::this_worker() == nullptr) {
    return run([&] { return parallel_reduce(first, last, identity, body, combine, options); });
  }
  auto count = static_cast<std::int64_t>(static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first));
  detail::Chunk chunk(options.grain);
  return detail::reduce_range<I, T>(first, 0, count, chunk, identity, identity, body, combine);
}

}  // namespace charm
