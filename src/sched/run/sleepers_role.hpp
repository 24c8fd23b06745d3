// A duty that one of the sleepers has for all of them: the sentry's and the lookout's (sched/run/parking.cpp). It is
// held by a sleep, not by a worker, since the same worker may be lent and sleep again meanwhile.
#pragma once

#include <charm/detail/assert.hpp>

#include <atomic>

namespace charm::sched {

class SleepersRole {
 public:
  /// \param sleep stands for the sleep that it is. \return whether it has the role now.
  bool take(const void* sleep) noexcept {
    CHARM_ASSERT(sleep != nullptr, "a sleep takes the role");
    CHARM_ASSERT(!held_by(sleep), "a sleep that has the role does not take it again");
    return try_take(sleep) == nullptr;
  }
  /// \return whether it has the role now, or had it already.
  bool take_or_keep(const void* sleep) noexcept {
    CHARM_ASSERT(sleep != nullptr, "a sleep takes the role");
    const void* holder = try_take(sleep);
    return holder == nullptr || holder == sleep;
  }
  [[nodiscard]] bool held_by(const void* sleep) const noexcept {
    return holder_.load(std::memory_order_relaxed) == sleep;
  }
  [[nodiscard]] bool vacant() const noexcept { return holder_.load(std::memory_order_seq_cst) == nullptr; }
  /// \return whether it had the role.
  bool leave(const void* sleep) noexcept {
    CHARM_ASSERT(sleep != nullptr, "a sleep leaves the role");
    if (!held_by(sleep)) return false;
    holder_.exchange(nullptr, std::memory_order_seq_cst);  // only its holder changes it; and then looks for work
    return true;
  }

 private:
  /// \return who had it before.
  const void* try_take(const void* sleep) noexcept {
    const void* holder = nullptr;
    holder_.compare_exchange_strong(holder, sleep, std::memory_order_seq_cst);
    return holder;
  }
  std::atomic<const void*> holder_{nullptr};
};

}  // namespace charm::sched
