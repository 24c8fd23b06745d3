// Code that may block in the kernel.
#pragma once

#include <charm/detail/result.hpp>
#include <charm/detail/worker.hpp>

#include <type_traits>
#include <utility>

namespace charm {
namespace detail {
/// Moves the running task to a spare thread; false where there is none to be had, and then it stays.
bool enter_blocking();
/// Back to the workers.
void leave_blocking() noexcept;
}  // namespace detail

/// Runs `function`, which may block in the kernel (read, sleep, a lock of another library), without blocking the
/// worker: the task moves to a spare thread for that time, and the worker goes on with other tasks. Returns what it
/// returns or throws.
///
/// There are at most `blocking_threads` spares; calls beyond that wait for one, as suspended tasks. Inside `function`
/// the task is in none of the workers: worker_id() is -1, barrier() is an error, and waits block the spare.
/// Thread-local variables are the spare's. Afterwards the task goes on where it may: on any worker, or on its own if it
/// is bound (a body of all_do, a call to a worker). Nested in itself and outside of tasks it is a plain call.
template <class F>
auto blocking(F&& function) -> std::invoke_result_t<F> {
  if (detail::this_worker() == nullptr || !detail::enter_blocking()) return std::forward<F>(function)();
  detail::Result<std::invoke_result_t<F>> result;
  result.set_from(std::forward<F>(function));
  detail::leave_blocking();
  return result.take();
}

}  // namespace charm
