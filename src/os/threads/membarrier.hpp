// membarrier(2): a full barrier on every core that runs this process, so that the other side of a store-load pair needs
// only a compiler barrier.
#pragma once

namespace charm::os {

/// Registers the process; false where the kernel or a seccomp filter refuses. Cheap to call again.
bool register_heavy_barrier() noexcept;

/// The latest result of register_heavy_barrier(); false for ever after once heavy_barrier() has failed.
bool has_heavy_barrier() noexcept;

/// Interrupts the cores that run this process; a microsecond and more on large machines. Only after registration.
/// \return whether the barrier took place: a seccomp filter may refuse it at any time.
[[nodiscard]] bool heavy_barrier() noexcept;

}  // namespace charm::os
