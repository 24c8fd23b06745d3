// Code that may block in the kernel.
#pragma once

#include <charm/detail/result.hpp>
#include <charm/detail/worker.hpp>

#include <cerrno>
#include <type_traits>
#include <utility>

namespace charm {
namespace detail {
/// Moves the running task to a thread of the blocking pool; false if there is none, and then the task stays.
bool enter_blocking();
/// Back to the workers.
void leave_blocking() noexcept;
}  // namespace detail

/// Runs `function`, which may block in the kernel (read, sleep, a lock of another library), without blocking the
/// worker: the task moves to a thread of the blocking pool for that time, and the worker runs other tasks. Returns the
/// value of `function` or rethrows its exception.
///
/// Start programs (system, popen, posix_spawn) and threads in it: what a task starts without it inherits the worker's
/// affinity mask, which is one cpu, and its timer slack.
///
/// The pool has at most `blocking_threads` threads (a setting), not counting those whose tasks wait for something of
/// the runtime; further calls wait for a free thread, as suspended tasks. Inside `function` the task is on no worker:
/// worker_id() is -1, barrier() is an error, and waits block the pool's thread. Thread-local variables are that
/// thread's; errno is the task's, inside and afterwards. Afterwards the task continues on any worker, or on its own if
/// it is bound (a body of all_do, a call to a worker). Inside another blocking(), or outside of tasks, it is a plain
/// call.
template <class F>
auto blocking(F&& function) -> std::invoke_result_t<F> {
  if (detail::this_worker() == nullptr || !detail::enter_blocking()) return std::forward<F>(function)();
  detail::Result<std::invoke_result_t<F>> result;
  result.set_from(std::forward<F>(function));
  detail::leave_blocking();
  return result.take();
}

/// What a call of the system has returned, and `errno` after it.
template <class T>
struct with_errno {
  T value;        ///< what the function returned
  int error = 0;  ///< errno when it returned; 0 if nothing has set it
};

/// blocking() for calls that report through errno, as `auto [size, error] = charm::blocking_errno([&] { return
/// recv(socket, data, room, 0); })`. A function that calls blocking() and then reads `errno` itself may read another
/// thread's, because the compiler may have kept its address from before (docs/suspension.md).
template <class F>
[[nodiscard]] auto blocking_errno(F&& function) -> with_errno<std::invoke_result_t<F>> {
  return blocking([&]() -> with_errno<std::invoke_result_t<F>> {
    errno = 0;
    auto value = std::forward<F>(function)();
    return {std::move(value), errno};
  });
}

}  // namespace charm
