// The memory policy of a thread's new pages: set_mempolicy(2) by raw system calls (CHARM §4.3, Algorithm 2 line 14).
#pragma once

#include "base/id_sets.hpp"
#include "os/memory/memory_policy.hpp"

namespace charm::os {

/// Whether the calling thread has the system's default policy, and not one that was set for it (numactl). Also true
/// if the kernel does not say, since then nothing can be overridden either.
bool has_default_memory_policy();

/// Makes the calling thread's new pages come from `nodes` (OS numbers). \returns false if the kernel refuses.
bool set_memory_policy(MemoryPolicy policy, const OsNodeSet& nodes);

/// Restores the system's default policy.
void reset_memory_policy();

}  // namespace charm::os
