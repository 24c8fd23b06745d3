// The dynamic and the affine schedule: the range is cut into blocks, every chiplet has its share of them, and its
// workers take them one by one from the front. A worker whose chiplet has none left takes from the far end of the
// chiplet that has most, so that the blocks next in line there, perhaps cached already, stay with their owner.
//
// The two differ in which workers help. dynamic spawns helpers like any tasks, so that any idle worker runs them.
// affine sends them to their chiplets, so that a block whose chiplet is not busy otherwise runs there in every call.
// Such a helper may wait long behind other work; the loop does not wait for a helper that comes too late, so the object
// that helpers read first (AffineLoop) outlives the loop.
#include <charm/detail/completion.hpp>
#include <charm/detail/job_memory.hpp>
#include <charm/detail/loop_body.hpp>
#include <charm/detail/scheduler.hpp>
#include <charm/task_group.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "sched/api/block_shares.hpp"
#include "sched/api/loop_parts.hpp"
#include "sched/api/schedules.hpp"

namespace charm::detail {
namespace {

/// Runs one block, counts its indices, and lets the worker look up.
void run_block_of(const Blocks& blocks, std::int64_t block, const LoopBody& body, LoopCount& count) {
  const std::int64_t begin = blocks.begin_of(block);
  const std::int64_t end = blocks.end_of(block);
  body(begin, end);
  count.add(end - begin);
  count.boundary(body.kind);
}

/// Calls `slab(blocks)` for the range in pieces of at most BlockShares::most blocks: one, unless it is enormous.
template <class F>
void in_slabs(std::int64_t count, std::int64_t grain, std::size_t workers, const FailScope& loop, F&& slab) {
  constexpr std::int64_t blocks_per_worker = 16;
  if (grain <= 0) grain = std::max<std::int64_t>(1, count / (blocks_per_worker * static_cast<std::int64_t>(workers)));
  const bool many = count / grain >= BlockShares::most;
  const std::int64_t step = many ? BlockShares::most * grain : count;
  for (std::int64_t low = 0; low < count && !loop.cancelled();) {
    const std::int64_t high = count - low < step ? count : low + step;
    slab(Blocks{low, high, grain});
    low = high;
  }
}

void run_dynamic(std::int64_t count, std::int64_t grain, FailScope& loop, const LoopBody& body) {
  const LoopParts layout;
  in_slabs(count, grain, layout.workers, loop, [&](const Blocks& blocks) {
    BlockShares shares(layout, blocks.count());
    auto participate = [&] {
      LoopCount ran;
      try {
        while (!loop.cancelled()) {
          const auto part = layout.of_worker[static_cast<std::size_t>(this_worker()->id)];
          const std::int64_t block = shares.take(static_cast<std::size_t>(part));
          if (block < 0) break;
          run_block_of(blocks, block, body, ran);
          this_worker()->deque.answer();
        }
      } catch (...) {
        loop.fail();
      }
      ran.finish(body.kind);
    };
    const auto helpers = std::min(static_cast<std::int64_t>(layout.workers), blocks.count()) - 1;
    task_group group;
    for (std::int64_t h = 0; h < helpers; ++h) group.run([&participate] { participate(); });
    participate();
    try {
      group.wait();
    } catch (const Error&) {  // the loop was stopped, and has the error already
    }
  });
}

class AffineLoop {
 public:
  AffineLoop(const LoopParts& layout, const Blocks& blocks, FailScope& loop, const LoopBody& body)
      : shares_(layout, blocks.count()),
        of_worker_(layout.of_worker),
        blocks_(blocks),
        loop_(&loop),
        body_(&body),
        kind_(body.kind),
        left_(blocks.count()) {}

  static void run(const LoopParts& layout, const Blocks& blocks, FailScope& loop, const LoopBody& body) {
    auto state = std::make_shared<AffineLoop>(layout, blocks, loop, body);
    const int here = this_worker()->id;
    for (const LoopParts::Part& part : layout.parts) {
      for (int worker : part.workers) {
        if (worker == here) continue;
        // The loop must not be left before its end, since helpers may run its blocks. A helper that cannot be made, for
        // want of memory or because the chiplet's workers have just moved elsewhere, leaves its blocks to others.
        Helper* helper = nullptr;
        try {
          helper = make_job<Helper>(this_worker(), state);
          post({Target::Kind::chiplet, part.chiplet}, *helper);
        } catch (const std::exception&) {
          if (helper != nullptr) end_job(helper);
        }
      }
    }
    if (!state->participate()) state->done_.wait();
  }

 private:
  struct Helper : ListedJob {
    explicit Helper(std::shared_ptr<AffineLoop> s) noexcept : ListedJob(&Helper::start), state(std::move(s)) {}
    static void start(Job* job) noexcept {
      auto* self = static_cast<Helper*>(job);
      std::shared_ptr<AffineLoop> state = std::move(self->state);
      end_job(self);
      if (state->participate()) state->done_.complete();
    }
    std::shared_ptr<AffineLoop> state;
    int home = -1;  // the worker whose pool the block is from
  };

  /// Runs blocks while there are any. \return whether this ended the loop. `loop_` and `body_` exist as long as a block
  /// that was taken is not counted as done, so they are looked at only in between.
  bool participate() noexcept {
    std::int64_t taken = 0;
    LoopCount ran;
    for (;;) {
      const int part = of_worker_[static_cast<std::size_t>(this_worker()->id)];
      const std::int64_t block = shares_.take(static_cast<std::size_t>(part));
      if (block < 0) break;
      ++taken;
      if (loop_->cancelled()) {
        taken += shares_.take_all();
        break;
      }
      WithScope within(loop_);
      try {
        run_block_of(blocks_, block, *body_, ran);
      } catch (...) {
        loop_->fail();
      }
      this_worker()->deque.answer();
    }
    ran.finish(kind_);
    return taken > 0 && left_.fetch_sub(taken, std::memory_order_acq_rel) == taken;
  }

  BlockShares shares_;
  std::vector<int> of_worker_;
  Blocks blocks_;
  FailScope* loop_;
  const LoopBody* body_;
  const void* kind_;
  std::atomic<std::int64_t> left_;
  Completion done_;
};

}  // namespace

void for_dynamic(std::int64_t count, std::int64_t grain, FailScope& loop, const LoopBody& body) {
  run_dynamic(count, grain, loop, body);
}

void for_affine(std::int64_t count, std::int64_t grain, FailScope& loop, const LoopBody& body) {
  const LoopParts layout;
  if (layout.parts.size() == 1 || layout.parts.front().chiplet < 0)  // nothing to be near to
    return for_dynamic(count, grain, loop, body);
  in_slabs(count, grain, layout.workers, loop,
           [&](const Blocks& blocks) { AffineLoop::run(layout, blocks, loop, body); });
}

}  // namespace charm::detail
