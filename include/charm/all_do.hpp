// The same function once on every worker, and the barrier among its bodies (CHARM §4.6).
#pragma once

#include <charm/detail/call_body.hpp>
#include <charm/detail/completion.hpp>
#include <charm/detail/scheduler.hpp>
#include <charm/runtime.hpp>

#include <atomic>
#include <concepts>
#include <exception>
#include <type_traits>

namespace charm {
namespace detail {

/// The part of all_do that does not depend on the function.
class Team {
 public:
  using Body = void (*)(void* function, int worker);
  /// Runs `body(function, w)` for every worker w, on w; waits; rethrows the first exception.
  static void run(Body body, void* function);
};

}  // namespace detail

/// Runs `function()` or `function(worker)` once on every worker, each as a task that stays on its worker, and returns
/// when all are done; then the first exception, if any, is rethrown. A worker that is busy runs its body when it is
/// free. If a body ends, by an exception or otherwise, while others wait at the barrier, barrier() throws in these.
///
/// The caller may be suspended meanwhile; it and the bodies stay on their workers. The bodies belong to the task group
/// or loop of the caller, so is_cancelled() is true in them when that is cancelled. \throws Error (not_running).
template <class F>
void all_do(F&& function) {
  if (detail::this_worker() == nullptr) return run([&] { all_do(function); });
  using Function = std::remove_reference_t<F>;
  detail::Team::run(
      [](void* pointer, int worker) {
        auto& f = *static_cast<Function*>(pointer);
        if constexpr (std::invocable<Function&, int>)
          detail::call_body(f, worker);
        else
          f();
      },
      const_cast<void*>(static_cast<const void*>(&function)));
}

/// Waits until the bodies of all workers of the enclosing all_do have called barrier(). Spins briefly, then suspends
/// the task. \throws Error: bad_input outside of all_do, or if a body has returned and so cannot call barrier();
/// cancelled if a body has thrown an exception, which all_do then rethrows.
void barrier();

}  // namespace charm
