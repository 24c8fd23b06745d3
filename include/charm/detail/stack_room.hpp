// Deep recursion: what the library runs on the caller's stack goes on on another where this one is nearly used up.
#pragma once

#include <charm/detail/worker.hpp>

#include <type_traits>

namespace charm::detail {

/// Runs `function(argument)` on a fresh stack in the name of the current task.
void continue_on_new_stack(void (*function)(void*) noexcept, void* argument);

/// Calls `f`; on a fresh stack where less than a quarter of this one is left. \param worker null: on a thread outside,
/// whose stack is its own affair.
template <class F>
[[gnu::always_inline]] inline void with_stack_room(const WorkerBase* worker, F&& f) noexcept {
  if (worker == nullptr || stack_here() >= worker->stack_limit) [[likely]]
    return f();
  continue_on_new_stack([](void* function) noexcept { (*static_cast<std::remove_reference_t<F>*>(function))(); }, &f);
}

}  // namespace charm::detail
