// What ranks do together: fence, barrier, collectives.
#include <charm/error.hpp>
#include <charm/sleep.hpp>

#include <algorithm>
#include <chrono>

#include "ranks/engine.hpp"

namespace charm::remote {
namespace {

struct Totals {
  std::uint64_t sent = 0;
  std::uint64_t run = 0;
};

}  // namespace

void Engine::fence() {
  // Messages end in any order, so that a number of those that were run says nothing about particular ones: this waits
  // for a moment at which all were run that had been sent.
  auto all_run = [&] {
    for (std::size_t to = 0; to < peers_.size(); ++to) {
      const std::uint64_t run = peers_[to].acknowledged.load(std::memory_order_acquire);
      std::uint64_t sent = 0;
      for (Row& row : rows_) {
        const std::lock_guard guard(row.lanes[to].lock);
        sent += row.lanes[to].sent;
      }
      if (run != sent) return false;
    }
    return true;
  };
  for (;;) {
    flush();
    check();
    if (all_run()) return;
    progress(true);
    Waiter waiter;
    {
      const std::lock_guard guard(lock_);
      if (failed() || all_run()) continue;
      waiter.after = fences_;
      fences_ = &waiter;
    }
    waiter.event.wait();
  }
}

/// Starts a step that all ranks take, and waits for its end.
template <class F>
void Engine::together(F&& start) {
  Step step;
  {
    const std::lock_guard guard(lock_);
    check();
    step_ = &step;
    start(step);
  }
  detail::await(step.done);  // also where a rank is lost: then the step is ended
  check();
  if (!step.problem.empty())
    throw Error(
        Errc::bad_input, step.problem,
        "call barrier(), gather(), reduce(), broadcast(), gmalloc() and finalize() in the same order on all ranks, "
        "with values of the same type");
}

void Engine::gather(const void* mine, std::size_t bytes, void* all, StepKind kind) {
  together([&](Step& step) {
    step.kind = kind;
    transport_.gather(step, mine, bytes, all);
  });
}

void Engine::broadcast(void* data, std::size_t bytes, int root) {
  if (root < 0 || root >= ranks_) no_such_rank(root);
  together([&](Step& step) {
    step.kind = StepKind::broadcast;
    transport_.broadcast(step, data, bytes, root);
  });
}

void Engine::barrier(StepKind kind) {
  std::uint64_t run_before = UINT64_MAX;  // by all ranks, in the wave before
  std::vector<Totals> all(static_cast<std::size_t>(ranks_));
  auto pause = std::chrono::microseconds(5);
  for (;;) {
    flush();
    Totals mine;
    for (const Peer& there : peers_) mine.run += there.run.load(std::memory_order_acquire);
    for (Row& row : rows_) {
      for (Lane& lane : row.lanes) {
        const std::lock_guard guard(lane.lock);
        mine.sent += lane.sent;
      }
    }
    gather(&mine, sizeof mine, all.data(), kind);
    Totals sum;
    for (const Totals& each : all) {
      sum.sent += each.sent;
      sum.run += each.run;
    }
    if (sum.sent == run_before) return;  // at the moment between the two waves all was run that had been sent
    run_before = sum.run;
    if (sum.run == sum.sent) continue;
    charm::sleep_for(pause);
    pause = std::min<std::chrono::microseconds>(2 * pause, std::chrono::microseconds(500));
  }
}

Traffic Engine::traffic() noexcept {
  Traffic result;
  for (Row& row : rows_) {
    for (Lane& lane : row.lanes) {
      const std::lock_guard guard(lane.lock);
      result.sent += lane.sent;
    }
  }
  for (const Peer& there : peers_) result.run += there.run.load(std::memory_order_relaxed);
  {
    const std::lock_guard guard(lock_);
    for (const Peer& there : peers_) result.buffers += there.buffers;
  }
  result.waits = waits_.load(std::memory_order_relaxed);
  result.memory = pool_.most_memory();
  return result;
}

}  // namespace charm::remote
