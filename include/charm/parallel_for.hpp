// Parallel loops over index ranges. The schedules are in src/sched/api/.
#pragma once

#include <charm/detail/loop_body.hpp>
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
  detail::run_loop(static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first), options,
                   detail::LoopBodyOf<Index, std::remove_reference_t<F>>(first, body));
}

}  // namespace charm
