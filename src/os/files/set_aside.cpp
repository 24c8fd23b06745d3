#include "os/files/set_aside.hpp"

#include <algorithm>
#include <atomic>
#include <fcntl.h>
#include <unistd.h>

#include <sys/resource.h>

namespace charm::os {
namespace {

constexpr rlim_t step = 256;  // files; the limit is raised by as many at a time

// The program's own soft limit; 0 until the library has raised it. Written once: whoever raises the limit first.
std::atomic<rlim_t> programs_limit{0};

rlimit limits() noexcept {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return {0, 0};
  return files;
}

/// Two threads that raise it at once raise it by one step, and the second finds room or raises it again.
bool raise_limit() noexcept {
  rlimit files = limits();
  if (files.rlim_cur >= files.rlim_max) return false;
  rlim_t unset = 0;
  programs_limit.compare_exchange_strong(unset, files.rlim_cur);
  files.rlim_cur = std::min(files.rlim_max, files.rlim_cur + step);
  return setrlimit(RLIMIT_NOFILE, &files) == 0;
}

/// The first number that belongs to the library.
rlim_t first_own() noexcept {
  const rlim_t before = programs_limit.load();
  return before != 0 ? before : limits().rlim_cur;
}

}  // namespace

int set_aside(int descriptor) noexcept {
  const rlim_t first = first_own();
  if (static_cast<rlim_t>(descriptor) < first / 4 || static_cast<rlim_t>(descriptor) >= first) return descriptor;
  int moved = -1;
  do {
    moved = fcntl(descriptor, F_DUPFD_CLOEXEC, static_cast<int>(first));
  } while (moved < 0 && raise_limit());
  if (moved < 0) return descriptor;
  close(descriptor);
  return moved;
}

bool make_room_for_files() noexcept { return raise_limit(); }

std::size_t reachable_file_limit() noexcept {
  const rlimit files = limits();
  return static_cast<std::size_t>(std::max(files.rlim_cur, files.rlim_max));
}

void restore_file_limit() noexcept {
  const rlim_t before = programs_limit.load();
  rlimit files = limits();
  if (before == 0 || before >= files.rlim_cur) return;
  files.rlim_cur = before;
  setrlimit(RLIMIT_NOFILE, &files);
}

}  // namespace charm::os
