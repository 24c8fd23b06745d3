// Timers in the order of their deadlines: a pairing heap of nodes that lie on the stacks of the sleeping tasks. Adding
// and removing allocate nothing and cannot fail; adding is O(1), taking the earliest O(log n) amortised.
#pragma once

#include <atomic>
#include <cstdint>

namespace charm::sched {

struct Timer {
  std::int64_t deadline_ns = 0;
  std::atomic<std::uintptr_t>* state = nullptr;  // the state of the Completion that expires
  int shard = -1;                                // the heap that it is or was in (sched/wait/timers.hpp)

 private:
  friend class TimerHeap;
  Timer* child_ = nullptr;
  Timer* next_ = nullptr;      // sibling
  Timer* previous_ = nullptr;  // sibling before it; of the first child the parent; of the root nullptr
  bool listed_ = false;
};

class TimerHeap {
 public:
  [[nodiscard]] Timer* earliest() const noexcept { return root_; }

  void add(Timer& timer) noexcept {
    timer.child_ = timer.next_ = timer.previous_ = nullptr;
    timer.listed_ = true;
    root_ = merge(root_, &timer);
  }

  /// Removes a timer; does nothing if it is not in the heap (any more).
  void remove(Timer& timer) noexcept {
    if (!timer.listed_) return;
    timer.listed_ = false;
    Timer* rest = merge_children(timer.child_);
    if (&timer == root_) {
      root_ = rest;
      return;
    }
    Timer* before = timer.previous_;
    (before->child_ == &timer ? before->child_ : before->next_) = timer.next_;
    if (timer.next_ != nullptr) timer.next_->previous_ = before;
    root_ = merge(root_, rest);
  }

 private:
  static Timer* merge(Timer* a, Timer* b) noexcept {
    if (a == nullptr) return b;
    if (b == nullptr) return a;
    if (b->deadline_ns < a->deadline_ns) {
      Timer* other = a;
      a = b;
      b = other;
    }
    b->next_ = a->child_;
    if (b->next_ != nullptr) b->next_->previous_ = b;
    b->previous_ = a;
    a->child_ = b;
    a->next_ = a->previous_ = nullptr;
    return a;
  }

  /// Merges siblings by pairs from the left, then all from the right; without recursion, there may be 10^5 of them.
  static Timer* merge_children(Timer* first) noexcept {
    Timer* pairs = nullptr;  // linked by next_, last pair first
    while (first != nullptr) {
      Timer* a = first;
      Timer* b = a->next_;
      first = b != nullptr ? b->next_ : nullptr;
      a->next_ = a->previous_ = nullptr;
      if (b != nullptr) b->next_ = b->previous_ = nullptr;
      Timer* pair = merge(a, b);
      pair->next_ = pairs;
      pairs = pair;
    }
    Timer* all = nullptr;
    while (pairs != nullptr) {
      Timer* pair = pairs;
      pairs = pair->next_;
      pair->next_ = nullptr;
      all = merge(all, pair);
    }
    if (all != nullptr) all->previous_ = nullptr;
    return all;
  }

  Timer* root_ = nullptr;
};

}  // namespace charm::sched
