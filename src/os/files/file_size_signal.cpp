#include "os/files/file_size_signal.hpp"

#include <ctime>

namespace charm::os {
namespace {

sigset_t file_size_signal() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGXFSZ);
  return set;
}

bool file_size_signal_is_pending() {
  sigset_t pending;
  return sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
}

}  // namespace

NoFileSizeSignal::NoFileSizeSignal() : pending_before_(file_size_signal_is_pending()) {
  const sigset_t set = file_size_signal();
  pthread_sigmask(SIG_BLOCK, &set, &before_);
}

NoFileSizeSignal::~NoFileSizeSignal() {
  const sigset_t set = file_size_signal();
  const timespec at_once{};
  if (!pending_before_ && file_size_signal_is_pending()) sigtimedwait(&set, nullptr, &at_once);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace charm::os
