// Time limits of bound tasks: while a bound task waits with a time limit, its worker leaves other jobs to other
// workers.
//
// A bound task can go on only on its worker. If the worker took a long job meanwhile, the task would go on when that
// job ends, however short its time limit. So as long as another worker is free, this one runs only jobs that are bound
// to it, makes all of its own jobs public, and passes wake-ups on. If no other worker is free it works as always:
// otherwise a job that waits for the time limit of another would wait for ever, and two workers could leave their jobs
// to each other.
//
// L1  A worker is free if it sleeps or searches and does not itself leave jobs to others. A worker counts itself among
//     those that leave jobs before it counts the free ones, so if two do so at the same time, at least one sees that
//     the other is not free.
// L2  The count is true for a moment only. A worker that leaves its own jobs to others counts again after a millisecond
//     at the latest.
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
