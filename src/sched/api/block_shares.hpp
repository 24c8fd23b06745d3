// The blocks of a loop that each chiplet has still to run.
#pragma once

#include <charm/detail/loop.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sched/api/loop_parts.hpp"

namespace charm::detail {

/// For each chiplet the numbers [front, back) of the blocks that are left, both ends in one word.
class BlockShares {
 public:
  static constexpr std::int64_t most = std::int64_t{1} << 31;

  BlockShares(const LoopParts& layout, std::int64_t blocks) : shares_(layout.parts.size()) {
    std::size_t workers = 0;
    for (std::size_t p = 0; p < shares_.size(); ++p) {
      std::int64_t front = share(blocks, workers, layout.workers);
      workers += layout.parts[p].workers.size();
      std::int64_t back = share(blocks, workers, layout.workers);
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

  /// Takes all blocks that are left. \return their number.
  std::int64_t take_all() noexcept {
    std::int64_t taken = 0;
    for (Share& share : shares_) taken += left(share.word.exchange(0, std::memory_order_relaxed));
    return taken;
  }

 private:
  struct alignas(64) Share {
    std::atomic<std::uint64_t> word{0};
  };
  static std::int64_t share(std::int64_t blocks, std::size_t worker, std::size_t workers) noexcept {
    return share_begin(blocks, static_cast<std::int64_t>(worker), static_cast<std::int64_t>(workers));
  }
  static std::uint64_t pack(std::int64_t front, std::int64_t back) noexcept {
    return static_cast<std::uint64_t>(front) << 32 | static_cast<std::uint64_t>(back);
  }
  static std::int64_t front_of(std::uint64_t word) noexcept { return static_cast<std::int64_t>(word >> 32); }
  static std::int64_t back_of(std::uint64_t word) noexcept { return static_cast<std::int64_t>(word & 0xffffffff); }
  static std::int64_t left(std::uint64_t word) noexcept { return back_of(word) - front_of(word); }
  std::vector<Share> shares_;
};

}  // namespace charm::detail
