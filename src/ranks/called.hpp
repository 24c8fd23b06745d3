// Tells whether the caller runs in a function that another rank has called; such a function must not wait for that rank
// to keep up (callers wait for room, called functions do not: ranks/engine.hpp).
#pragma once

#include <charm/task_local.hpp>

namespace charm::remote {

inline charm::task_local<bool> in_called_function{false};

/// Not to be called by threads that may have lost their worker.
inline bool called_by_rank() noexcept { return in_called_function.get(); }

}  // namespace charm::remote
