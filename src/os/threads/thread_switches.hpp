// How often the threads of a process have been given a cpu, from the kernel's "schedstat".
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace charm::os {

/// Of all present threads together; nothing where the process is gone or the kernel does not say.
std::optional<std::uint64_t> switches_of(int pid, const std::string& root = "/");

/// Of one thread.
std::optional<std::uint64_t> switches_of_thread(int thread, const std::string& root = "/");

}  // namespace charm::os
