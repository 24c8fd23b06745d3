// Waiting for one of several channels; see "win the choice first" in charm/detail/wait_list.hpp.
#include <charm/detail/cancel_scope.hpp>
#include <charm/select.hpp>

#include <algorithm>
#include <functional>

#include "sched/debug/delays.hpp"

namespace charm::detail {
namespace {

/// Holds the locks of all cases, each once, taken in the order of their addresses: so two selects cannot wait for each
/// other's locks.
class AllLocked {
 public:
  explicit AllLocked(std::span<ChannelCase* const> by_lock) noexcept : cases_(by_lock) {
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      if (!same_as_before(i)) cases_[i]->listed.lock.lock();
    }
  }
  ~AllLocked() {
    if (held_) unlock();
  }
  AllLocked(const AllLocked&) = delete;
  AllLocked& operator=(const AllLocked&) = delete;
  void unlock() noexcept {
    held_ = false;
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      if (!same_as_before(i)) cases_[i]->listed.lock.unlock();
    }
  }

 private:
  [[nodiscard]] bool same_as_before(std::size_t i) const noexcept {
    return i > 0 && &cases_[i - 1]->listed.lock == &cases_[i]->listed.lock;
  }
  std::span<ChannelCase* const> cases_;
  bool held_ = true;
};

/// \throws Error (cancelled) if the task's group or loop was cancelled. \return the chosen case, `timed_out`,
/// `stopped`, Choice::again.
int wait_for_one(std::span<ChannelCase* const> cases, Choice& choice, std::int64_t deadline,
                 const std::stop_token* stop) {
  constexpr int ended_early = 1 << 30;
  const WaitReason reason{Wait::select, nullptr, cases.empty() ? nullptr : &cases.front()->listed, true, stop};
  sched::delay_between_steps();
  if (!choice.event.wait_until(deadline, reason) && !choice.win(ended_early)) {
    choice.event.wait(reason);  // a partner has won the choice and is about to wake this task
  }
  sched::delay_between_steps();
  for (ChannelCase* one : cases) {  // also those that were taken out: their takers have gone once we had the lock
    one->listed.lock.lock();
    if (one->waiter.listed) one->listed.list.remove(one->waiter);
    one->listed.lock.unlock();
  }
  const int chosen = choice.chosen.load(std::memory_order_acquire);
  if (chosen != ended_early) return chosen;
  check_ended_wait();
  return stop != nullptr && stop->stop_requested() ? stopped : timed_out;
}

}  // namespace

int select_among(std::span<ChannelCase* const> cases, std::span<ChannelCase*> by_lock, std::size_t first,
                 std::int64_t deadline, const std::stop_token* stop) {
  std::copy(cases.begin(), cases.end(), by_lock.begin());
  std::sort(by_lock.begin(), by_lock.end(),
            [](const ChannelCase* a, const ChannelCase* b) { return std::less<>()(&a->listed.lock, &b->listed.lock); });
  for (;;) {
    Choice choice;
    {
      AllLocked locked(by_lock);
      for (std::size_t i = 0; i < cases.size(); ++i) {
        const std::size_t at = (first + i) % cases.size();
        Waiter* served = nullptr;
        if (!cases[at]->try_now(served)) continue;
        locked.unlock();
        if (served != nullptr) served->wake();
        return static_cast<int>(at);
      }
      if (deadline == before_all_times) return timed_out;
      for (std::size_t i = 0; i < cases.size(); ++i) {
        ChannelCase& one = *cases[i];
        one.waiter.choice = &choice;
        one.waiter.number = static_cast<int>(i);
        one.listed.further = i + 1 < cases.size() ? &cases[i + 1]->listed : nullptr;
        one.listed.list.push_back(one.waiter);
      }
    }
    const int chosen = wait_for_one(cases, choice, deadline, stop);
    if (chosen != Choice::again) return chosen;
  }
}

}  // namespace charm::detail
