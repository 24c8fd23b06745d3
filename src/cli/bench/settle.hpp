// Fairness between runtimes that share a process: worker threads of OpenMP and oneTBB spin for a while after their work
// is done, and would take the cores of whoever runs next.
#pragma once

#include <chrono>

namespace charm::cli {

/// Sleeps until this process hardly uses the cpu (its threads have parked), at most `patience`; false where they have
/// not.
bool wait_until_idle(std::chrono::milliseconds patience = std::chrono::milliseconds(1000));

}  // namespace charm::cli
