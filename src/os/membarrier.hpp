// membarrier(2): a full barrier on every core that runs this process, so that the other side of a store-load pair can
// do with a compiler barrier.
#pragma once

namespace charm::os {

/// Registers the process; false where the kernel or a seccomp filter refuses. Cheap to call again.
bool register_heavy_barrier() noexcept;

/// What register_heavy_barrier() last said.
bool has_heavy_barrier() noexcept;

/// Interrupts the cores that run this process; a microsecond and more on large machines. Only after registration.
void heavy_barrier() noexcept;

}  // namespace charm::os
