#include "os/processes/forked.hpp"

#include <charm/error.hpp>

#include <cerrno>
#include <pthread.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/wait.h>

namespace charm::os {

SharedMapping::SharedMapping(std::size_t bytes)
    : data_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)), bytes_(bytes) {
  if (data_ == MAP_FAILED) throw Error(Errc::system, "cannot share memory between processes", "free memory");
}

SharedMapping::~SharedMapping() { munmap(data_, bytes_); }

std::optional<int> fork_child(const std::function<void()>& body) {
  const pid_t child = fork();
  if (child < 0) return std::nullopt;
  if (child == 0) {
    body();
    _exit(0);
  }
  return static_cast<int>(child);
}

void on_fork(void (*before)(), void (*in_parent)(), void (*in_child)()) { pthread_atfork(before, in_parent, in_child); }

void wait_for_child(int pid) {
  while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace charm::os
