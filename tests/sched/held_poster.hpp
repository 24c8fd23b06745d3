// A thread that posts a job to a queue, held in the middle of the call until the job has run and for a while longer: so
// a test can see whether anything ends meanwhile that the call still uses.
#pragma once

#include <atomic>
#include <chrono>
#include <sched.h>

#include "sched/run/ready_queue.hpp"
#include "sched/stepped_call.hpp"

namespace charm::test {

#if defined(CHARM_STEPPED_CALLS)

/// Calls `post` step by step. From the step that puts the job into `queue` on, each step leaves a worker time to take
/// and run the job, which sets `ran`. The call is held there, until `over` is set or for a second.
/// \param queue exists until the job has run; nobody else posts to it. \return whether `over` was set while the call
/// was held.
template <class Post>
bool over_while_held(Post&& post, const sched::LockedQueue& queue, const std::atomic<bool>& ran,
                     const std::atomic<bool>& over) {
  using namespace std::chrono_literals;
  bool posted = false;
  bool seen = false;
  const auto has_run = [&] {
    if (ran) return true;
    posted = posted || !queue.empty();
    if (!posted) return false;
    // The worker may have to wait for its core, or for the queue's lock, which this thread holds for some more steps.
    for (const auto end = std::chrono::steady_clock::now() + 10ms; !ran && std::chrono::steady_clock::now() < end;)
      sched_yield();
    return ran.load();
  };
  const auto is_over = [&] { return seen = over.load(); };
  stepped_call(post, has_run, is_over, 1s);
  return seen;
}

#endif

}  // namespace charm::test
