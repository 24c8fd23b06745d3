// Writing beyond the limit of file sizes (ulimit -f): the kernel sends SIGXFSZ, which ends a program that does not
// expect it, before it lets the write fail with EFBIG.
#pragma once

#include <csignal>

namespace charm::os {

/// While it exists, the calling thread does not get the signal: its writes just fail.
class NoFileSizeSignal {
 public:
  NoFileSizeSignal();
  ~NoFileSizeSignal();
  NoFileSizeSignal(const NoFileSizeSignal&) = delete;
  NoFileSizeSignal& operator=(const NoFileSizeSignal&) = delete;

 private:
  sigset_t before_{};
  bool pending_before_ = false;  // somebody else's: it stays
};

}  // namespace charm::os
