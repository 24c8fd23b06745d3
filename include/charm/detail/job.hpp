// A unit of work as the scheduler sees it: one function pointer. What it runs and where its memory lives is the
// business of whoever made it: invoke and parallel_for keep jobs on the parent's stack, task_group and async take them
// from the worker's pool, a suspended fiber is itself a job.
#pragma once

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

}  // namespace charm::detail
