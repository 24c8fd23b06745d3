// Time limits of bound tasks: while one waits, its worker leaves to others what others can run.
//
// A bound task goes on only where it is. If its worker took a long job meanwhile, the task would come back when that
// job ends, however short its time limit. So as long as somebody else is free the worker runs only what is sent to it,
// makes all that it has itself public, and passes wake-ups on. Where nobody else is free it works as always: a job that
// waits for the limit of another would otherwise wait in vain, and two workers could leave their jobs to each other.
//
// L1  Free are those who sleep or search and leave nothing to others themselves. A worker counts itself among those who
//     leave before it counts who is free, so of two that do so at a time one at least sees that the other is not free.
// L2  The count is of a moment. A worker that leaves own jobs to others looks again after a millisecond at the latest.
#include <charm/detail/deque.hpp>

#include "sched/run/runtime.hpp"
#include "sched/run/worker.hpp"

namespace charm::sched {

using stealing::Flag;

/// Called as a searcher. \return whether the worker is to leave to others what they can run.
bool Worker::leaves_to_others() noexcept {
  if (bound_limits == 0 || runtime->stopping.load(std::memory_order_seq_cst)) {
    take_again();
    return false;
  }
  if (!leaving.exchange(true, std::memory_order_seq_cst)) runtime->leaving.fetch_add(1, std::memory_order_seq_cst);
  int free = -runtime->leaving.load(std::memory_order_seq_cst);
  for (int g = 0; g < runtime->work_flags.groups(); ++g) {
    free += runtime->work_flags.count(Flag::asleep, g);
    free += runtime->groups[static_cast<std::size_t>(g)]->searching.load(std::memory_order_seq_cst);
  }
  if (free <= 0) {
    take_again();
    return false;
  }
  while (deque.has_private() && deque.publish() > 0) {
  }
  if (shows_work()) advertise();
  return true;
}

void Worker::take_again() noexcept {
  if (leaving.load(std::memory_order_relaxed) && leaving.exchange(false, std::memory_order_seq_cst))
    runtime->leaving.fetch_sub(1, std::memory_order_seq_cst);
}

}  // namespace charm::sched
