// Parallel reductions over index ranges: split lazily like parallel_for, or along a fixed tree.
#pragma once

#include <charm/detail/loop.hpp>
#include <charm/detail/stack_room.hpp>
#include <charm/invoke.hpp>
#include <charm/runtime.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

namespace charm {

/// How a reduction is split.
struct ReduceOptions {
  /// Number of indices that a worker runs without a check for idle workers; 0: chosen by the library. With
  /// `deterministic`, the size of a leaf.
  std::int64_t grain = 0;
  /// The same result, to the last bit, for any number of workers and any timing: the range is cut into leaves whose
  /// size depends on its length alone, and their results are combined along a balanced tree. Beyond the sequential loop
  /// it costs one `identity` and one `combine` for each leaf, at most 4096 of each unless `grain` is given. Use it if
  /// `combine` is cheap.
  bool deterministic = false;
};

namespace detail {

/// Whether storing an R in a T loses information: a fraction, or digits beyond the width of T. (The int that arithmetic
/// makes of a short is no loss.)
template <class T, class R>
constexpr bool loses() noexcept {
  using Result = std::remove_cvref_t<R>;
  if constexpr (std::is_arithmetic_v<T> && std::is_arithmetic_v<Result>) {
    return (std::is_floating_point_v<Result> && !std::is_floating_point_v<T>) ||
           sizeof(Result) > (std::max)(sizeof(T), sizeof(int));
  } else {
    return false;
  }
}

/// Tells the reductions of one body from all other work.
template <class Index, class T, class F, class C>
const void* kind_of_reduction() noexcept;

template <class Index, class T, class F, class C>
T reduce_lazy(Index base, std::int64_t low, std::int64_t high, Chunk& chunk, FailScope& loop, T sum, const T& identity,
              F& body, C& combine) {
  while (low < high && !loop.cancelled()) {
    std::int64_t rest = high - low;
    WorkerBase* worker = this_worker();
    bool whole = rest <= chunk.size();
    auto run_chunk = [&] {
      std::int64_t end = whole ? high : low + chunk.size();
      chunk.run(end - low, [&] { sum = body(index_at(base, low), index_at(base, end), std::move(sum)); });
      low = end;
      chunk.boundary(kind_of_reduction<Index, T, F, C>());
      this_worker()->deque.answer();
    };
    if (whole || !worker->deque.empty()) {
      chunk.prepare(worker->deque);
      run_chunk();
      continue;
    }
    std::int64_t middle = low + rest / 2;
    auto second = [&, base, middle, high, learned = chunk.fork()]() mutable {
      try {
        return reduce_lazy(base, middle, high, learned, loop, identity, identity, body, combine);
      } catch (...) {
        loop.fail();  // at once, so that the others stop
        throw;
      }
    };
    ForkedJob<decltype(second)> job(second, worker);
    std::int64_t index = worker->deque.push(&job);
    if (index == Deque::full) {
      run_chunk();
      continue;
    }
    try {
      sum = reduce_lazy(base, low, middle, chunk, loop, std::move(sum), identity, body, combine);
    } catch (...) {
      loop.fail();
      if (!take_back(worker, index, job)) job.wait();
      throw;
    }
    if (!take_back(worker, index, job)) {
      chunk.finish(kind_of_reduction<Index, T, F, C>());
      return combine(std::move(sum), job.join());
    }
    low = middle;
  }
  chunk.finish(kind_of_reduction<Index, T, F, C>());
  return sum;
}

template <class Index, class T, class F, class C>
const void* kind_of_reduction() noexcept {
  return reinterpret_cast<const void*>(&reduce_lazy<Index, T, F, C>);
}

/// The results of leaves [low, high), combined along the tree that halves them. Which parts are forked depends on
/// timing; the order of combination does not.
template <class Index, class T, class F, class C>
T reduce_tree(Index base, const Blocks& leaves, std::int64_t low, std::int64_t high, LoopCount& ran, FailScope& loop,
              const T& identity, F& body, C& combine) {
  if (high - low == 1) {
    this_worker()->deque.answer();
    if (loop.cancelled()) return identity;
    const std::int64_t begin = leaves.begin_of(low);
    const std::int64_t end = leaves.end_of(low);
    T sum = body(index_at(base, begin), index_at(base, end), identity);
    ran.add(end - begin);
    ran.boundary(kind_of_reduction<Index, T, F, C>());
    return sum;
  }
  const std::int64_t middle = low + (high - low) / 2;
  auto part = [&](std::int64_t first, std::int64_t last, LoopCount& count) {
    try {
      return reduce_tree(base, leaves, first, last, count, loop, identity, body, combine);
    } catch (...) {
      loop.fail();
      throw;
    }
  };
  WorkerBase* worker = this_worker();
  if (worker->deque.empty()) {
    auto second = [&] {
      LoopCount count;
      T sum = part(middle, high, count);
      count.finish(kind_of_reduction<Index, T, F, C>());
      return sum;
    };
    ForkedJob<decltype(second)> job(second, worker);
    std::int64_t index = worker->deque.push(&job);
    if (index != Deque::full) {
      T left = [&] {
        try {
          return part(low, middle, ran);
        } catch (...) {
          if (!take_back(worker, index, job)) job.wait();
          throw;
        }
      }();
      if (take_back(worker, index, job)) return combine(std::move(left), job.run_here());
      return combine(std::move(left), job.join());
    }
  }
  T left = part(low, middle, ran);
  return combine(std::move(left), part(middle, high, ran));
}

}  // namespace detail

/// Reduces [first, last) in parallel. `body(low, high, sum)` returns the partial result `sum` with a block of indices
/// added; `combine(left, right)` joins the results of two neighbouring ranges. Every partial result begins as
/// `identity`, whose type is that of the result. `combine` must be associative but need not be commutative. Unless
/// `deterministic` is set, the way in which the range is split depends on timing, so a floating-point sum may differ in
/// its last bits from call to call. Exceptions, cancellation and suspension as in parallel_for.
template <std::integral Index, class T, class F, class C>
T parallel_reduce(Index first, Index last, T identity, F&& body, C&& combine, ReduceOptions options = {}) {
  static_assert(sizeof(Index) <= 8, "parallel_reduce counts indices in 64 bits");
  static_assert(!detail::loses<T, std::invoke_result_t<F&, Index, Index, T>>() &&
                    !detail::loses<T, std::invoke_result_t<C&, T, T>>(),
                "parallel_reduce keeps partial results in the type of `identity`, into which what the body or combine "
                "returns does not fit: write 0.0 for 0, std::int64_t{0}, or whatever type the result shall have");
  if (!(first < last)) return identity;
  detail::WorkerBase* worker = detail::this_worker();
  if (worker == nullptr) return run([&] { return parallel_reduce(first, last, identity, body, combine, options); });
  if (detail::exceeds_count(first, last)) {
    const Index middle = detail::middle_of(first, last);
    T left = parallel_reduce(first, middle, identity, body, combine, options);
    return combine(std::move(left), parallel_reduce(middle, last, std::move(identity), body, combine, options));
  }
  auto count = static_cast<std::int64_t>(static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first));
  detail::FailScope loop(worker->scope);
  std::optional<T> result;
  detail::with_stack_room(worker, [&]() noexcept {
    detail::WithScope within(&loop);
    try {
      if (options.deterministic) {
        constexpr std::int64_t most_leaves = 4096;
        const std::int64_t grain =
            options.grain > 0 ? options.grain : std::max<std::int64_t>(1, (count - 1) / most_leaves + 1);
        const detail::Blocks leaves{0, count, grain};
        detail::LoopCount ran;
        result.emplace(
            detail::reduce_tree<Index, T>(first, leaves, 0, leaves.count(), ran, loop, identity, body, combine));
        ran.finish(detail::kind_of_reduction<Index, T, std::remove_reference_t<F>, std::remove_reference_t<C>>());
      } else {
        detail::Chunk chunk(options.grain);
        result.emplace(detail::reduce_lazy<Index, T>(first, 0, count, chunk, loop, identity, identity, body, combine));
      }
    } catch (...) {
      loop.fail();
    }
  });
  loop.finish();
  return result ? std::move(*result) : std::move(identity);
}

}  // namespace charm
