// The functions of the scheduler (src/sched) that the headers call.
#pragma once

#include <charm/detail/completion.hpp>
#include <charm/detail/job.hpp>
#include <charm/detail/target.hpp>

#include <cstdint>
#include <exception>

namespace charm::detail {

/// Queues a job that nothing on this stack waits for: on the worker's own deque, or, from outside, where any worker
/// finds it. \throws Error (not_running).
void submit(ListedJob& job);

/// The same, but if the running task is bound to its worker, the job is bound to it, too.
void submit_where_bound(ListedJob& job);

/// Queues a job for a worker, or for the first free worker of a chiplet or node.
/// \throws Error (bad_input) if no worker is there, (not_running).
void post(Target target, ListedJob& job);

/// Runs `root` from a thread that is no worker and waits for `done`. \throws Error (not_running).
void run_root(ListedJob& root, Completion& done);

/// Counts `count` finished tasks of a kind, for the controller (sched/control/meter.hpp). Any address identifies a
/// kind, if no other kind uses it.
void count_work(const void* kind, std::int64_t count) noexcept;

/// Counts iterations of a loop, and lets the worker do what it does between two jobs: publish, move. On workers only.
/// \return chunks until the next call.
int loop_boundary(const void* kind, std::int64_t count) noexcept;

/// The running task is this job from now on, until end_awaited().
void begin_awaited(AwaitedJob& job) noexcept;
void end_awaited(AwaitedJob& job) noexcept;
/// Ends that, and counts the task, as count_work(kind, 1) does.
void end_awaited(AwaitedJob& job, const void* kind) noexcept;

/// The error for those that wait for a task that finalize() has dropped.
[[nodiscard]] std::exception_ptr dropped_error() noexcept;

/// Runs a job that the caller is about to wait for, on its stack, if it is the newest on the worker's deque. A job that
/// anything else is waiting for must not be run like this: it might wait for its own waiter.
void run_own_child(ListedJob& job) noexcept;

/// Spins for a moment for the answer of a call, which mostly comes in less time than a switch takes; not if anything
/// else waits for the worker.
void spin_for_reply(const Completion& done) noexcept;

/// Marks the running task as bound to its worker until it ends or `unbind_task`. \return whether it was bound before.
bool bind_task() noexcept;
void unbind_task() noexcept;

}  // namespace charm::detail
