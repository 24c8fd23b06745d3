// errno belongs to the task: a task that waits keeps its errno when it goes on in another thread.
#pragma once

namespace charm::sched {

/// The calling thread's errno. Not inlined, because the address of errno is declared never to change, and a fiber may
/// have moved to another thread since the last call.
int& error_number_of_thread() noexcept;

}  // namespace charm::sched
