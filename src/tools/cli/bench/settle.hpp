// Keeps runtimes that share a process from disturbing each other: worker threads of OpenMP and oneTBB spin for a while
// after their work, and would take the cores of the runtime that runs next.
#pragma once

#include <chrono>

namespace charm::cli {

/// Sleeps until this process hardly uses the cpu (its threads have parked), at most `patience`; false if they have
/// not.
bool wait_until_idle(std::chrono::milliseconds patience = std::chrono::milliseconds(1000));

}  // namespace charm::cli
