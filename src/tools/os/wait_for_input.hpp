// Waiting until one of several files has something to read (poll(2)).
#pragma once

#include <span>

namespace charm::os {

struct WatchedFile {
  int descriptor = -1;  ///< negative: not watched
  bool ready = false;   ///< set by wait_for_input: can be read, or its other end is gone
};

/// Waits until one of the files is ready, a signal comes, or `seconds` have passed (rounded up to milliseconds).
void wait_for_input(std::span<WatchedFile> files, double seconds);

}  // namespace charm::os
