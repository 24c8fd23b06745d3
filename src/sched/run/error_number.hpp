// errno belongs to the task: one that waits takes it along to the thread that it goes on in.
#pragma once

namespace charm::sched {

/// The calling thread's errno. Not inlined, because the address of errno is declared never to change, and a fiber may
/// have moved to another thread since the last call.
int& error_number_of_thread() noexcept;

}  // namespace charm::sched
