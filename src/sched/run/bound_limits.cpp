// Time limits of bound tasks: while a bound task waits with a time limit, its worker leaves other jobs to other
// workers.
//
// A bound task can go on only on its worker. If the worker took a long job meanwhile, the task would go on when that
// job ends, however short its time limit. So as long as another worker is free, this one runs only jobs that are bound
// to it, makes all of its own jobs public, and passes wake-ups on. If no other worker is free it works as always:
// otherwise a job that waits for the time limit of another would wait for ever, and two workers could leave their jobs
// to each other.
//
// - Leave, then look for a free worker: A worker is free if it is not busy, has a cpu, and does not itself leave jobs
//   to others. It is busy only while it has a job: not from its start to its first one, nor when it takes another core
//   after a sleep. A worker announces that it leaves jobs before it looks for a free one, so if two do so at the same
//   time, at least one sees that the other is not free. (It looks at each idle worker. The numbers of those that sleep
//   and that search would count a worker twice that is just being woken: on an oversubscribed machine all workers left
//   their jobs to each other for seconds.)
// - Whoever rests by the width helps: It has a cpu, so it counts as free, is woken when a worker begins to leave jobs,
//   and takes jobs as long as one does.
// - Look again after a millisecond: The answer is true for a moment only. A worker that leaves its own jobs to others
//   looks again after a millisecond at the latest.
#include <charm/detail/deque.hpp>

#include <bit>

#include "sched/run/runtime.hpp"
#include "sched/run/worker.hpp"

namespace charm::sched {

using stealing::Flag;

bool Worker::another_is_free() const noexcept {
  const stealing::WorkFlags& flags = runtime->places.flags;
  for (int g = 0; g < static_cast<int>(runtime->places.groups.size()); ++g) {
    for (int w = 0; w < flags.words(g); ++w) {
      for (auto idle = flags.word(Flag::member, g, w) & ~flags.word(Flag::busy, g, w); idle != 0; idle &= idle - 1) {
        const Worker* other =
            runtime->places.worker_at({g, w * stealing::WorkFlags::word_bits + std::countr_zero(idle)});
        if (other != nullptr && other != this && !other->leaves_jobs.now(std::memory_order_seq_cst) && !other->rests())
          return true;
      }
    }
  }
  return false;
}

/// Called as a searcher. \return whether the worker is to leave to others what they can run.
bool Worker::leaves_to_others() noexcept {
  if (!bound_limits_.any() || runtime->ending.has_begun()) {
    take_again();
    return false;
  }
  const bool begins = !leaves_jobs.now();
  leaves_jobs.begin(runtime->searchers.leaving);
  if (begins && runtime->steering->anybody_rests()) {
    for (const auto& other : runtime->workers) {
      if (runtime->steering->rest(*other) == Rest::by_width) runtime->wake(*other);
    }
  }
  if (runtime->searchers.leaving.all(runtime->workers.size()) || !another_is_free()) {
    take_again();
    return false;
  }
  while (deque.has_private() && deque.publish() > 0) {
  }
  if (shows_work()) advertise();
  return true;
}

void Worker::take_again() noexcept { leaves_jobs.end(runtime->searchers.leaving); }

}  // namespace charm::sched
