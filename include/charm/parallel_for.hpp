// Parallel loops over index ranges.
//
// The lazy schedule splits on demand: a worker runs its range in chunks. Only when its deque is empty, so that
// thieves would find nothing, does it fork the second half of what is left (Tzannes et al., "Lazy binary-splitting",
// 2010). A loop that nobody helps with costs little more than a sequential one. The other schedules are in
// src/sched/api/.
#pragma once

#include <charm/detail/loop.hpp>
#include <charm/detail/loop_body.hpp>
#include <charm/detail/stack_room.hpp>
#include <charm/invoke.hpp>
#include <charm/runtime.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace charm {

/// Who runs which part of a loop.
enum class Schedule {
  lazy,     ///< a range is split when a worker is idle; the right one unless more is known about the loop
  static_,  ///< one contiguous chunk for each worker, chiplet by chiplet, in proportion to the speed of its kind of
            ///< core; least overhead where all iterations cost the same
  dynamic,  ///< workers take blocks of `grain` from a counter of their chiplet; when it has none left, from another's
  affine,   ///< like dynamic, but a block goes to the same chiplet in every call over the same range, so that its data
            ///< stays in that cache; idle chiplets take over from the far end of the others' blocks
};

/// How a loop is split.
struct LoopOptions {
  /// Number of indices that a worker runs without a check for idle workers, the size of a block; 0: chosen by the
  /// library (lazy, static_: while running, so that a chunk takes about a microsecond; dynamic, affine: 16 blocks for
  /// each worker).
  std::int64_t grain = 0;
  /// How the range is divided among the workers.
  Schedule schedule = Schedule::lazy;
};

namespace detail {

/// Indices are counted from `base` in 64 bits, so that ranges of any integral type cannot overflow on the way.
template <class Index, class F>
void for_lazy(Index base, std::int64_t low, std::int64_t high, Chunk& chunk, FailScope& loop, F& body) noexcept {
  const void* const kind = kind_of_loop<Index, F>();
  try {
    while (low < high && !loop.cancelled()) {
      std::int64_t rest = high - low;
      if (rest <= chunk.size()) {
        chunk.prepare(this_worker()->deque);
        chunk.run_last(rest, [&] { run_block(body, index_at(base, low), index_at(base, high)); });
        return chunk.finish(kind);
      }
      WorkerBase* worker = this_worker();
      if (!worker->deque.empty()) {
        std::int64_t end = low + chunk.size();
        chunk.prepare(worker->deque);
        chunk.run(chunk.size(), [&] { run_block(body, index_at(base, low), index_at(base, end)); });
        low = end;
        chunk.boundary(kind);
        this_worker()->deque.answer();
        continue;
      }
      std::int64_t middle = low + rest / 2;
      auto second = [&body, &loop, base, middle, high, learned = chunk.fork()]() mutable {
        for_lazy(base, middle, high, learned, loop, body);
      };
      ForkedJob<decltype(second)> job(second, worker);
      std::int64_t index = worker->deque.push(&job);
      if (index == Deque::full) {
        return run_in_chunks(low, high, chunk, loop, kind, [&](std::int64_t l, std::int64_t h) {
          run_block(body, index_at(base, l), index_at(base, h));
        });
      }
      for_lazy(base, low, middle, chunk, loop, body);
      if (!take_back(worker, index, job)) return job.join();
      low = middle;  // no thief has taken it
    }
    chunk.finish(kind);
  } catch (...) {
    loop.fail();  // the rest of the branch is dropped; none of it is forked while a body runs
  }
}

}  // namespace detail

/// Calls `body(i)`, or `body(low, high)` for blocks of indices, so that every index of [first, last) is covered exactly
/// once, and returns when all calls have returned. A block has at most `grain` indices, if `grain` is given. May be
/// called from any thread and any task, also from the body of another loop. While the last chunks run on other workers
/// the task may be suspended, and continue on another worker (docs/suspension.md).
///
/// The first exception stops the loop: chunks that have not begun are left out, also of loops nested in it, and the
/// exception is rethrown when all chunks that run have ended. If a task group that the caller belongs to is cancelled,
/// the loop stops early, too, and throws Error (cancelled). \throws Error (not_running) without a runtime.
template <std::integral Index, class F>
void parallel_for(Index first, Index last, F&& body, LoopOptions options = {}) {
  static_assert(sizeof(Index) <= 8, "parallel_for counts indices in 64 bits");
  if (!(first < last)) return;
  detail::WorkerBase* worker = detail::this_worker();
  if (worker == nullptr) return run([&] { parallel_for(first, last, body, options); });
  if (detail::exceeds_count(first, last)) {
    const Index middle = detail::middle_of(first, last);
    parallel_for(first, middle, body, options);
    return parallel_for(middle, last, body, options);
  }
  auto count = static_cast<std::int64_t>(static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first));
  detail::FailScope loop(worker->scope);
  // The body may run loops in turn, to any depth.
  detail::with_stack_room(worker, [&]() noexcept {
    detail::WithScope within(&loop);
    try {
      switch (options.schedule) {
        case Schedule::lazy: {
          detail::Chunk chunk(options.grain);
          detail::for_lazy(first, 0, count, chunk, loop, body);
          break;
        }
        case Schedule::static_:
          detail::for_static(count, options.grain, loop,
                             detail::LoopBodyOf<Index, std::remove_reference_t<F>>(first, body));
          break;
        case Schedule::dynamic:
          detail::for_dynamic(count, options.grain, loop,
                              detail::LoopBodyOf<Index, std::remove_reference_t<F>>(first, body));
          break;
        case Schedule::affine:
          detail::for_affine(count, options.grain, loop,
                             detail::LoopBodyOf<Index, std::remove_reference_t<F>>(first, body));
          break;
      }
    } catch (...) {  // no memory to divide the range
      loop.fail();
    }
  });
  loop.finish();
}

}  // namespace charm
