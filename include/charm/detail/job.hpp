// A unit of work as the scheduler sees it: one function pointer. The code that makes a job decides what it runs and
// where its memory is: invoke and parallel_for keep jobs on the parent's stack, task_group and async take them from the
// worker's pool, a suspended fiber is itself a job.
#pragma once

#include <charm/detail/requirements.hpp>

namespace charm::detail {

struct Job {
  using Run = void (*)(Job*) noexcept;
  explicit constexpr Job(Run function) noexcept : run(function) {}
  Run run;
};

/// A job that can wait in a list (inboxes, overflow of the ready queue).
struct ListedJob : Job {
  using Job::Job;
  ListedJob* next = nullptr;
};

enum class Drop { notify, release };

/// A job whose end may be waited for by a thread that is no worker: that of run(), of a future, of a group. finalize()
/// drops tasks that wait for an event that never comes; it then calls `dropped` twice, in place of the rest of `run`:
/// to notify the waiter (after which the job may be gone, if it is not its own owner), and to free the job. `run` calls
/// begin_awaited() first and end_awaited() after the function.
struct AwaitedJob : ListedJob {
  using Dropped = void (*)(AwaitedJob*, Drop) noexcept;
  AwaitedJob(Run function, Dropped d) noexcept : ListedJob(function), dropped(d) {}
  Dropped dropped;
  AwaitedJob* outer = nullptr;  // the job whose function runs this one on its stack
};

}  // namespace charm::detail
