#include "sched/wait/outside_waits.hpp"

#include "base/clock.hpp"
#include "os/threads/threads.hpp"

namespace charm::sched {

constinit OutsideWaits outside_waits;

void OutsideWaits::add(Wait& wait) noexcept {
  wait.thread = os::this_thread_number();
  wait.since_ns = base::monotonic_ns();
  const std::lock_guard lock(mutex_);
  CHARM_ASSERT(!wait.listed, "a wait is listed once");
  wait.next = first_;
  wait.link = &first_;
  if (first_ != nullptr) first_->link = &wait.next;
  first_ = &wait;
  wait.listed = true;
}

void OutsideWaits::remove(Wait& wait) noexcept {
  if (!wait.listed) return;
  const std::lock_guard lock(mutex_);
  CHARM_ASSERT(*wait.link == &wait, "a wait that is taken out is in the list");
  *wait.link = wait.next;
  if (wait.next != nullptr) wait.next->link = wait.link;
  wait.listed = false;
}

}  // namespace charm::sched
