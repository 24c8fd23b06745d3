// A few stacks that a worker keeps for recursion that continues on further stacks. A recursion that forks again and
// again at the end of one stack would otherwise map and unmap one for each fork.
#pragma once

#include <cstddef>

#include "fiber/stack.hpp"

namespace charm::fiber {

/// All stacks are of one size. For one thread at a time.
class StackCache {
 public:
  StackCache() = default;
  StackCache(const StackCache&) = delete;
  StackCache& operator=(const StackCache&) = delete;
  ~StackCache() {
    while (count_ > 0) free_stack(kept_[--count_]);
  }
  /// \throws Error (system) where the address space is used up.
  Stack take(std::size_t bytes) { return count_ > 0 ? kept_[--count_] : allocate_stack(bytes); }
  void give(const Stack& stack) noexcept {
    if (count_ == most) return free_stack(stack);
    forget_frames(stack);
    kept_[count_++] = stack;
  }

 private:
  static constexpr int most = 4;
  Stack kept_[most];
  int count_ = 0;
};

}  // namespace charm::fiber
