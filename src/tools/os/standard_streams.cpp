#include "tools/os/standard_streams.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace charm::os {

void hold_closed_streams() noexcept {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    // The lowest free number is given, and those below are taken. O_PATH: it is there, and nothing can be done with it.
    if (fcntl(stream, F_GETFD) != -1) continue;
    [[maybe_unused]] const int held = open("/", O_PATH | O_CLOEXEC);
  }
}

}  // namespace charm::os
