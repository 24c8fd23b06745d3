// Deep recursion: the library's functions continue on another stack if the caller's is nearly used up.
#pragma once

#include <charm/detail/worker.hpp>

#include <type_traits>

namespace charm::detail {

/// Runs `function(argument)` on a fresh stack in the name of the current task.
void continue_on_new_stack(void (*function)(void*) noexcept, void* argument);

/// Calls `f`, on a fresh stack if less than a quarter of this one is left. \param worker null in threads outside,
/// whose stacks are not checked.
template <class F>
[[gnu::always_inline]] inline void with_stack_room(const WorkerBase* worker, F&& f) noexcept {
  if (worker == nullptr || stack_here() >= worker->stack_limit) [[likely]]
    return f();
  continue_on_new_stack([](void* function) noexcept { (*static_cast<std::remove_reference_t<F>*>(function))(); }, &f);
}

}  // namespace charm::detail
