// The threads of this process.
#pragma once

namespace charm::os {

/// How many there are; -1 where /proc does not tell.
int threads_of_process() noexcept;

}  // namespace charm::os
