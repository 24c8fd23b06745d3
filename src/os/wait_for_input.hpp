// Waiting until one of several files has something to read (poll(2)).
#pragma once

#include <span>

namespace charm::os {

struct WatchedFile {
  int descriptor = -1;  ///< negative: not watched
  bool ready = false;   ///< set by wait_for_input: can be read, or its other end is gone
};

/// Returns after `seconds` (to the next millisecond), when one of the files is ready, or when a signal comes.
void wait_for_input(std::span<WatchedFile> files, double seconds);

}  // namespace charm::os
