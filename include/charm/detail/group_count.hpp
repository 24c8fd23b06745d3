// The number of tasks of a group that are not done, and the wait for them (modelled in tests/model/group.pml).
//
// The number of tasks not yet done is home_ + (remote_ - bias). home_ is a plain variable: only code on the same stack
// as the group uses it, in frames below the group's own (run(), and the tasks that wait() takes back). That is one
// thread of control, which moves between workers only by suspending. All others count in remote_. The bias keeps
// remote_ away from 0 while nobody waits; the waiter subtracts it, adds home_, and is then notified of the end.
//
// - Zero once: remote_ is 0 only from the moment when the last task of a waited-for group is done until the bias is put
//   back. Exactly one remove() makes it 0, so exactly one completes `done_`.
// - Late tasks count for the next wait: Tasks may be added meanwhile, by threads and tasks outside of the group. Code
//   that adds one to a count of 0 restores the bias in the same step; otherwise the waiter does, when it has been
//   notified. So a task that comes too late for one wait is counted for the next. (In two steps the count could reach 0
//   in between once more: the owner's next tasks count in home_ and are subtracted from remote_.)
// - The last remover only completes: The remover that makes the count 0 touches nothing but `done_` afterwards. The
//   waiter, in whose frame that is, goes on when it is completed, and may then destroy the group.
#pragma once

#include <charm/detail/completion.hpp>

#include <atomic>
#include <cstdint>
#include <utility>

namespace charm::detail {

class GroupCount {
 public:
  void add_at_home() noexcept { ++home_; }
  void remove_at_home() noexcept { --home_; }

  void add() noexcept {
    std::int64_t seen = remote_.load(std::memory_order_relaxed);
    while (!remote_.compare_exchange_weak(seen, seen == 0 ? bias + 1 : seen + 1, std::memory_order_relaxed)) {
    }
  }
  /// \param last_act whether the caller is a job that the scheduler runs, and this is its last action.
  void remove(bool last_act) noexcept {
    if (remote_.fetch_sub(1, std::memory_order_acq_rel) == 1) done_->complete(last_act);
  }

  [[nodiscard]] bool none() const noexcept { return home_ == 0 && remote_.load(std::memory_order_acquire) == bias; }

  /// Waits; only one task may wait at a time.
  void wait(const WaitReason& reason) {
    if (none()) return;
    Completion done;
    done_ = &done;
    const std::int64_t change = std::exchange(home_, 0) - bias;
    if (remote_.fetch_add(change, std::memory_order_acq_rel) + change != 0) done.wait(reason);
    std::int64_t nothing = 0;
    remote_.compare_exchange_strong(nothing, bias, std::memory_order_relaxed);  // unless add() has done so
  }

 private:
  static constexpr std::int64_t bias = std::int64_t{1} << 40;

  std::int64_t home_ = 0;
  std::atomic<std::int64_t> remote_{bias};
  Completion* done_ = nullptr;
};

}  // namespace charm::detail
