// Jobs for one particular worker: any thread pushes, the worker takes all at once and runs them in the order of
// arrival.
#pragma once

#include <charm/detail/job.hpp>

#include <atomic>

namespace charm::sched {

using detail::ListedJob;

class Inbox {
 public:
  /// Sequentially consistent with the worker's announcement that it parks: either the pusher sees it parked, or the
  /// worker sees the job (sched/run/parking.cpp).
  void push(ListedJob* job) noexcept {
    ListedJob* head = head_.load(std::memory_order_relaxed);
    do {
      job->next = head;
    } while (!head_.compare_exchange_weak(head, job, std::memory_order_seq_cst, std::memory_order_relaxed));
  }

  /// Owner only.
  ListedJob* pop() noexcept {
    if (mine_ == nullptr) {
      if (head_.load(std::memory_order_relaxed) == nullptr) return nullptr;
      ListedJob* newest = head_.exchange(nullptr, std::memory_order_acquire);
      while (newest != nullptr) {  // the list is newest first
        ListedJob* older = newest->next;
        newest->next = mine_;
        mine_ = newest;
        newest = older;
      }
    }
    ListedJob* job = mine_;
    mine_ = job->next;
    return job;
  }

  /// Whether something was pushed that the owner has not taken yet. Any thread may call it.
  [[nodiscard]] bool arrived() const noexcept { return head_.load(std::memory_order_seq_cst) != nullptr; }

  /// Owner only.
  [[nodiscard]] bool empty() const noexcept {
    return mine_ == nullptr && head_.load(std::memory_order_seq_cst) == nullptr;
  }

 private:
  alignas(64) std::atomic<ListedJob*> head_{nullptr};
  alignas(64) ListedJob* mine_ = nullptr;  // taken, oldest first
};

}  // namespace charm::sched
