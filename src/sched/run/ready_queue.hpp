// Fibers that are ready, first in first out: a ring that the owner fills and any worker empties, and a list under a
// lock for fibers that do not fit.
//
// The ring: only the owner writes tail_ and slots; head_ only grows, by compare-exchange. A slot is written anew only
// when tail_ - head_ < size, that is after head_ has passed it; so a taker whose exchange of head_ succeeds read the
// right slot. 64-bit indices do not wrap.
#pragma once

#include <charm/detail/job.hpp>

#include <atomic>
#include <cstdint>
#include <mutex>

namespace charm::sched {

using detail::ListedJob;

/// A list under a lock; empty() is cheap, and any thread may call it.
class LockedQueue {
 public:
  void push(ListedJob* job) noexcept {
    std::lock_guard lock(mutex_);
    job->next = nullptr;
    (first_ == nullptr ? first_ : last_->next) = job;
    last_ = job;
    length_.fetch_add(1, std::memory_order_seq_cst);
  }
  ListedJob* pop() noexcept {
    if (empty()) return nullptr;
    std::lock_guard lock(mutex_);
    ListedJob* job = first_;
    if (job == nullptr) return nullptr;
    first_ = job->next;
    length_.fetch_sub(1, std::memory_order_relaxed);
    return job;
  }
  [[nodiscard]] bool empty() const noexcept { return length_.load(std::memory_order_seq_cst) == 0; }

 private:
  std::mutex mutex_;
  ListedJob* first_ = nullptr;
  ListedJob* last_ = nullptr;
  std::atomic<std::int64_t> length_{0};
};

class ReadyQueue {
 public:
  /// Owner only.
  void push(ListedJob* job) noexcept {
    if (!push_ring(job)) overflow_.push(job);
  }
  /// Owner only. \return false where it does not fit.
  bool push_ring(ListedJob* job) noexcept {
    std::uint64_t t = tail_.load(std::memory_order_relaxed);
    if (!overflow_.empty() || t - head_.load(std::memory_order_acquire) == size) return false;
    slots_[t % size].store(job, std::memory_order_relaxed);
    tail_.store(t + 1, std::memory_order_release);
    return true;
  }
  /// Anyone.
  ListedJob* pop() noexcept {
    std::uint64_t h = head_.load(std::memory_order_acquire);
    while (h < tail_.load(std::memory_order_acquire)) {
      ListedJob* job = slots_[h % size].load(std::memory_order_relaxed);
      if (head_.compare_exchange_weak(h, h + 1, std::memory_order_acq_rel, std::memory_order_acquire)) return job;
    }
    return overflow_.pop();
  }
  [[nodiscard]] bool empty() const noexcept {
    return head_.load(std::memory_order_acquire) == tail_.load(std::memory_order_acquire) && overflow_.empty();
  }

 private:
  static constexpr std::uint64_t size = 256;
  alignas(64) std::atomic<std::uint64_t> head_{0};
  alignas(64) std::atomic<std::uint64_t> tail_{0};
  std::atomic<ListedJob*> slots_[size];
  LockedQueue overflow_;
};

}  // namespace charm::sched
