// The dynamic and the affine schedule: the range is cut into blocks, every chiplet has its share of them, and its
// workers take them one by one from the front. A worker whose chiplet has none left takes from the far end of the
// chiplet that has most, so that the blocks next in line there, perhaps cached already, stay with their owner.
//
// The two differ in who is asked to help. dynamic spawns helpers like any tasks: whoever is idle comes. affine sends
// them to their chiplets, so that a block whose chiplet is not busy otherwise runs there in every call. Those helpers
// may sit behind other work for long; the loop does not wait for one that comes too late, so what they look at first
// (AffineLoop) outlives it.
#pragma once

#include <charm/detail/completion.hpp>
#include <charm/detail/job_memory.hpp>
#include <charm/detail/loop.hpp>
#include <charm/detail/loop_parts.hpp>
#include <charm/detail/scheduler.hpp>
#include <charm/task_group.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

namespace charm::detail {

/// Block numbers [front, back) left of every chiplet, both ends in one word.
class BlockShares {
 public:
  static constexpr std::int64_t most = std::int64_t{1} << 31;

  BlockShares(const LoopParts& layout, std::int64_t blocks) : shares_(layout.parts.size()) {
    std::size_t workers = 0;
    for (std::size_t p = 0; p < shares_.size(); ++p) {
      std::int64_t front = LoopParts::share_begin(blocks, workers, layout.workers);
      workers += layout.parts[p].workers.size();
      std::int64_t back = LoopParts::share_begin(blocks, workers, layout.workers);
      shares_[p].word.store(pack(front, back), std::memory_order_relaxed);
    }
  }

  /// A block for a worker of `part`; -1 when all are taken.
  std::int64_t take(std::size_t part) noexcept {
    std::atomic<std::uint64_t>& own = shares_[part].word;
    std::uint64_t word = own.load(std::memory_order_relaxed);
    while (left(word) > 0) {
      if (own.compare_exchange_weak(word, pack(front_of(word) + 1, back_of(word)), std::memory_order_relaxed))
        return front_of(word);
    }
    for (;;) {
      std::atomic<std::uint64_t>* richest = nullptr;
      std::int64_t most_left = 0;
      for (Share& share : shares_) {
        std::int64_t has = left(share.word.load(std::memory_order_relaxed));
        if (has > most_left) {
          most_left = has;
          richest = &share.word;
        }
      }
      if (richest == nullptr) return -1;
      word = richest->load(std::memory_order_relaxed);
      while (left(word) > 0) {
        if (richest->compare_exchange_weak(word, pack(front_of(word), back_of(word) - 1), std::memory_order_relaxed))
          return back_of(word) - 1;
      }
    }
  }

  /// Takes all that are left. \return how many.
  std::int64_t take_all() noexcept {
    std::int64_t taken = 0;
    for (Share& share : shares_) taken += left(share.word.exchange(0, std::memory_order_relaxed));
    return taken;
  }

 private:
  struct alignas(64) Share {
    std::atomic<std::uint64_t> word{0};
  };
  static std::uint64_t pack(std::int64_t front, std::int64_t back) noexcept {
    return static_cast<std::uint64_t>(front) << 32 | static_cast<std::uint64_t>(back);
  }
  static std::int64_t front_of(std::uint64_t word) noexcept { return static_cast<std::int64_t>(word >> 32); }
  static std::int64_t back_of(std::uint64_t word) noexcept { return static_cast<std::int64_t>(word & 0xffffffff); }
  static std::int64_t left(std::uint64_t word) noexcept { return back_of(word) - front_of(word); }
  std::vector<Share> shares_;
};

/// A range cut into blocks.
struct Blocks {
  std::int64_t low, high, grain;
  [[nodiscard]] std::int64_t count() const noexcept { return (high - low) / grain + ((high - low) % grain != 0); }

  /// Runs one, counts its indices, and lets the worker look up.
  template <class I, class F>
  void run(std::int64_t block, I base, F& body, LoopCount& count) const {
    std::int64_t begin = low + block * grain;
    std::int64_t end = high - begin < grain ? high : begin + grain;
    run_block(body, index_at(base, begin), index_at(base, end));
    count.add(end - begin);
    count.boundary(kind_of_loop<I, F>());
  }
};

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

template <class I, class F>
void for_dynamic(I base, std::int64_t count, std::int64_t grain, FailScope& loop, F& body) {
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
          blocks.run(block, base, body, ran);
          this_worker()->deque.answer();
        }
      } catch (...) {
        loop.fail();
      }
      ran.finish(kind_of_loop<I, F>());
    };
    const auto helpers = std::min(static_cast<std::int64_t>(layout.workers), blocks.count()) - 1;
    task_group group;
    for (std::int64_t h = 0; h < helpers; ++h) group.run([&participate] { participate(); });
    participate();
    try {
      group.wait();
    } catch (const Error&) {  // the loop was stopped; it knows why
    }
  });
}

template <class I, class F>
class AffineLoop {
 public:
  AffineLoop(const LoopParts& layout, const Blocks& blocks, I base, FailScope& loop, F& body)
      : shares_(layout, blocks.count()),
        of_worker_(layout.of_worker),
        blocks_(blocks),
        base_(base),
        loop_(&loop),
        body_(&body),
        left_(blocks.count()) {}

  static void run(const LoopParts& layout, const Blocks& blocks, I base, FailScope& loop, F& body) {
    auto state = std::make_shared<AffineLoop>(layout, blocks, base, loop, body);
    const int here = this_worker()->id;
    for (const LoopParts::Part& part : layout.parts) {
      for (int worker : part.workers) {
        if (worker == here) continue;
        // The loop must not be left before its end, since helpers may be at it. One that cannot be had, for want of
        // memory or because the chiplet's workers have just moved elsewhere, leaves its blocks to others.
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
        blocks_.run(block, base_, *body_, ran);
      } catch (...) {
        loop_->fail();
      }
      this_worker()->deque.answer();
    }
    ran.finish(kind_of_loop<I, F>());
    return taken > 0 && left_.fetch_sub(taken, std::memory_order_acq_rel) == taken;
  }

  BlockShares shares_;
  std::vector<int> of_worker_;
  Blocks blocks_;
  I base_;
  FailScope* loop_;
  F* body_;
  std::atomic<std::int64_t> left_;
  Completion done_;
};

template <class I, class F>
void for_affine(I base, std::int64_t count, std::int64_t grain, FailScope& loop, F& body) {
  const LoopParts layout;
  if (layout.parts.size() == 1 || layout.parts.front().chiplet < 0)  // nothing to be near to
    return for_dynamic(base, count, grain, loop, body);
  in_slabs(count, grain, layout.workers, loop,
           [&](const Blocks& blocks) { AffineLoop<I, F>::run(layout, blocks, base, loop, body); });
}

}  // namespace charm::detail
