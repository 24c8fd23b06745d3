// Where a loop begins, and its lazy schedule, which splits on demand: a worker runs its range in chunks. Only when its
// deque is empty, so that thieves would find nothing, does it fork the second half of what is left (Tzannes et al.,
// "Lazy binary-splitting", 2010). A loop that nobody helps with costs little more than a sequential one.
#include <charm/invoke.hpp>
#include <charm/parallel_for.hpp>
#include <charm/runtime.hpp>

#include "sched/api/schedules.hpp"
#include "sched/run/worker.hpp"

namespace charm::detail {
namespace {

/// What a list of tasks says that the running one does: it has begun by a function of this file.
void call_it(const LoopBody& body) noexcept {
  sched::this_worker()->current->card.begin(reinterpret_cast<Job::Run>(reinterpret_cast<std::uintptr_t>(body.kind)));
}

void run_lazily(std::int64_t low, std::int64_t high, Chunk& chunk, FailScope& loop, const LoopBody& body) noexcept {
  try {
    while (low < high && !loop.cancelled()) {
      const std::int64_t rest = high - low;
      if (rest <= chunk.size()) {
        chunk.prepare(this_worker()->deque);
        chunk.run_last(rest, [&] { body(low, high); });
        return chunk.finish(body.kind);
      }
      WorkerBase* worker = this_worker();
      if (!worker->deque.empty()) {
        const std::int64_t end = low + chunk.size();
        chunk.prepare(worker->deque);
        chunk.run(chunk.size(), [&] { body(low, end); });
        low = end;
        chunk.boundary(body.kind);
        this_worker()->deque.answer();
        continue;
      }
      const std::int64_t middle = low + rest / 2;
      auto second = [&body, &loop, middle, high, learned = chunk.fork()]() mutable {
        call_it(body);
        run_lazily(middle, high, learned, loop, body);
      };
      ForkedJob<decltype(second)> job(second, worker);
      const std::int64_t index = worker->deque.push(&job);
      if (index == Deque::full) return run_in_chunks(low, high, chunk, loop, body);
      run_lazily(low, middle, chunk, loop, body);
      if (!take_back(worker, index, job)) return job.join();
      low = middle;  // no thief has taken it
    }
    chunk.finish(body.kind);
  } catch (...) {
    loop.fail();  // the rest of the branch is dropped; none of it is forked while a body runs
  }
}

void run_by(Schedule schedule, std::int64_t count, std::int64_t grain, FailScope& loop, const LoopBody& body) {
  switch (schedule) {
    case Schedule::lazy: {
      Chunk chunk(grain);
      return run_lazily(0, count, chunk, loop, body);
    }
    case Schedule::static_:
      return for_static(count, grain, loop, body);
    case Schedule::dynamic:
      return for_dynamic(count, grain, loop, body);
    case Schedule::affine:
      return for_affine(count, grain, loop, body);
  }
}

/// What is left of a loop behind its first indices.
struct SecondHalf : LoopBody {
  SecondHalf(const LoopBody& all, std::uint64_t from) noexcept
      : LoopBody{&SecondHalf::run_later, all.kind, all.takes_blocks}, whole(all), begin(from) {}
  static void run_later(const LoopBody& self, std::int64_t low, std::int64_t high) {
    const auto& half = static_cast<const SecondHalf&>(self);
    half.whole(half.later(low), half.later(high));
  }
  /// Beyond 2^63 it is negative, as index_at() has it.
  [[nodiscard]] std::int64_t later(std::int64_t offset) const noexcept {
    return static_cast<std::int64_t>(begin + static_cast<std::uint64_t>(offset));
  }
  const LoopBody& whole;
  std::uint64_t begin;
};

}  // namespace

void run_in_chunks(std::int64_t low, std::int64_t high, Chunk& chunk, FailScope& loop, const LoopBody& body) {
  while (low < high && !loop.cancelled()) {
    const std::int64_t end = high - low < chunk.size() ? high : low + chunk.size();
    chunk.run(end - low, [&] { body(low, end); });
    low = end;
    chunk.boundary(body.kind);
    this_worker()->deque.answer();
  }
  chunk.finish(body.kind);
}

void run_loop(std::uint64_t count, const LoopOptions& options, const LoopBody& body) {
  WorkerBase* worker = this_worker();
  if (worker == nullptr) {
    return run([&] {
      call_it(body);
      run_loop(count, options, body);
    });
  }
  if (count > std::uint64_t{INT64_MAX}) {  // more than the loops count
    run_loop(count / 2, options, body);
    return run_loop(count - count / 2, options, SecondHalf(body, count / 2));
  }
  FailScope loop(worker->scope);
  // The body may run loops in turn, to any depth.
  with_stack_room(worker, [&]() noexcept {
    const WithScope within(&loop);
    try {
      run_by(options.schedule, static_cast<std::int64_t>(count), options.grain, loop, body);
    } catch (...) {  // no memory to divide the range
      loop.fail();
    }
  });
  loop.finish();
}

}  // namespace charm::detail
