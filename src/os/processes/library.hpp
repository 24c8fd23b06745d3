// Keeps the shared library that contains the runtime's code in memory.
#pragma once

namespace charm::os {

/// Keeps the program or library that holds `code` in memory until the process ends, whatever dlclose() is called:
/// threads that run there, and handlers that were installed, must not find it gone.
void keep_loaded(const void* code) noexcept;

}  // namespace charm::os
