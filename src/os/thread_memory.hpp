// Where the new pages of a thread come from: set_mempolicy(2) by raw system calls (CHARM §4.3, Algorithm 2 line 14).
#pragma once

namespace charm::os {

enum class MemoryPolicy { preferred, bind };

/// Whether the calling thread has the system's own policy, and not one that somebody chose for it (numactl). Also true
/// where the kernel does not tell, since then nothing can be overridden either.
bool has_default_memory_policy();

/// From now on the calling thread's new pages come from `node` (OS number). \returns false where the kernel refuses.
bool set_memory_node(MemoryPolicy policy, int node);

/// Back to the system's own policy.
void reset_memory_policy();

}  // namespace charm::os
