// The ways in which an owner can push and pop at its end of a deque without paying for thieves that seldom come, each
// as small as it can be written: just enough to run a recursion on one thread and to have another thread steal from it.
// bench-forks times them; docs/design/fork-join.md draws the conclusion. Not the runtime's code (that is
// include/charm/detail/deque.hpp), and rings do not grow: a recursion of 40 levels needs no more.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "os/threads/membarrier.hpp"

namespace charm::bench::forks {

struct Task {
  long argument = 0;
  long result = 0;
  std::atomic<bool> done{false};
};

constexpr std::int64_t ring = 1024;

/// Chase and Lev's deque with the fences of Lê et al. 2013; `heavy` moves the owner's fence to the thief, who runs
/// membarrier(2) for every attempt.
template <bool heavy>
class ChaseLev {
 public:
  static constexpr const char* name = heavy ? "thief-side fence" : "classic fence";

  void push(Task* task) noexcept {
    const std::int64_t b = bottom_.load(std::memory_order_relaxed);
    slots_[at(b)].store(task, std::memory_order_relaxed);
    bottom_.store(b + 1, std::memory_order_release);
  }
  bool pop(Task* /*task*/) noexcept {
    const std::int64_t b = bottom_.load(std::memory_order_relaxed) - 1;
    bottom_.store(b, std::memory_order_relaxed);
    if constexpr (heavy)
      std::atomic_signal_fence(std::memory_order_seq_cst);
    else
      std::atomic_thread_fence(std::memory_order_seq_cst);
    std::int64_t t = top_.load(std::memory_order_relaxed);
    if (t < b) return true;
    bool mine = false;
    if (t == b) mine = top_.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst, std::memory_order_relaxed);
    bottom_.store(b + 1, std::memory_order_relaxed);
    return mine;
  }
  Task* steal() noexcept {
    std::int64_t t = top_.load(std::memory_order_acquire);
    if constexpr (heavy)
      (void)os::heavy_barrier();
    else
      std::atomic_thread_fence(std::memory_order_seq_cst);
    if (t >= bottom_.load(std::memory_order_acquire)) return nullptr;
    Task* task = slots_[at(t)].load(std::memory_order_relaxed);
    return top_.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst, std::memory_order_relaxed) ? task
                                                                                                        : nullptr;
  }

 private:
  static std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index & (ring - 1)); }
  alignas(64) std::atomic<std::int64_t> bottom_{0};
  alignas(64) std::atomic<std::int64_t> top_{0};
  std::array<std::atomic<Task*>, ring> slots_{};
};

/// Private deque with steal requests (Acar et al. 2013): nobody else touches it; the owner looks at a request at every
/// push, and hands its oldest task over.
class Private {
 public:
  static constexpr const char* name = "private, requests";

  void push(Task* task) noexcept {
    slots_[at(bottom_++)] = task;
    if (request_.load(std::memory_order_relaxed)) [[unlikely]]
      answer();
  }
  bool pop(Task* task) noexcept {
    // All have been handed over; what nobody has fetched is the last of them.
    if (bottom_ == top_) [[unlikely]]
      return mailbox_.load(std::memory_order_relaxed) == task &&
             mailbox_.exchange(nullptr, std::memory_order_acquire) == task;
    --bottom_;
    return true;
  }
  Task* steal() noexcept {
    request_.store(true, std::memory_order_release);
    for (int i = 0; i < 2000; ++i) {
      if (Task* task = mailbox_.load(std::memory_order_relaxed)) {
        task = mailbox_.exchange(nullptr, std::memory_order_acquire);
        return task;
      }
    }
    return nullptr;
  }

 private:
  [[gnu::noinline]] void answer() noexcept {
    if (bottom_ == top_ || mailbox_.load(std::memory_order_relaxed) != nullptr) return;
    request_.store(false, std::memory_order_relaxed);
    mailbox_.store(slots_[at(top_++)], std::memory_order_release);
  }
  static std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index & (ring - 1)); }
  std::int64_t bottom_ = 0;
  std::int64_t top_ = 0;
  std::array<Task*, ring> slots_{};
  alignas(64) std::atomic<bool> request_{false};
  alignas(64) std::atomic<Task*> mailbox_{nullptr};
};

/// Split deque (van Dijk and van de Pol, "Lace", 2014): the older part is public, and the owner moves the split point
/// on request. Taking back from the public part excludes thieves by a lock, which is rare.
class Split {
 public:
  static constexpr const char* name = "split, on request";

  void push(Task* task) noexcept {
    slots_[at(bottom_)].store(task, std::memory_order_relaxed);
    ++bottom_;
    if (request_.load(std::memory_order_relaxed)) [[unlikely]]
      publish();
  }
  bool pop(Task* /*task*/) noexcept {
    if (bottom_ > split_) [[likely]] {
      --bottom_;
      return true;
    }
    return take_back();
  }
  Task* steal() noexcept {
    std::uint64_t word = public_.load(std::memory_order_acquire);
    if (low(word) >= high(word)) {
      if (!request_.load(std::memory_order_relaxed)) request_.store(true, std::memory_order_relaxed);
      return nullptr;
    }
    Task* task = slots_[at(low(word))].load(std::memory_order_relaxed);
    return public_.compare_exchange_strong(word, word + (std::uint64_t{1} << 32), std::memory_order_acq_rel) ? task
                                                                                                             : nullptr;
  }

 private:
  static std::int64_t low(std::uint64_t word) { return static_cast<std::int64_t>(word >> 32); }
  static std::int64_t high(std::uint64_t word) { return static_cast<std::int64_t>(word & 0xffffffffU); }
  static std::uint64_t pack(std::int64_t first, std::int64_t last) {
    return static_cast<std::uint64_t>(first) << 32 | static_cast<std::uint64_t>(last);
  }
  static std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index & (ring - 1)); }

  [[gnu::noinline]] void publish() noexcept {
    request_.store(false, std::memory_order_relaxed);
    std::uint64_t word = public_.load(std::memory_order_relaxed);
    split_ += (bottom_ - split_ + 1) / 2;
    while (!public_.compare_exchange_weak(word, pack(low(word), split_), std::memory_order_acq_rel)) {
    }
  }
  [[gnu::noinline]] bool take_back() noexcept {
    std::uint64_t word = public_.load(std::memory_order_acquire);
    bool last = false;
    do {
      if (low(word) >= bottom_) return false;  // stolen, and everything older with it
      // The slot at `low` is only written anew after `low` has moved on, so that a thief's exchange cannot succeed with
      // what it read there before.
      last = low(word) == bottom_ - 1;
    } while (!public_.compare_exchange_weak(word, last ? pack(bottom_, bottom_) : pack(low(word), bottom_ - 1),
                                            std::memory_order_acq_rel));
    if (!last) split_ = --bottom_;
    return true;
  }
  std::int64_t bottom_ = 0;
  std::int64_t split_ = 0;
  std::array<std::atomic<Task*>, ring> slots_{};
  alignas(64) std::atomic<std::uint64_t> public_{0};
  alignas(64) std::atomic<bool> request_{false};
};

}  // namespace charm::bench::forks
