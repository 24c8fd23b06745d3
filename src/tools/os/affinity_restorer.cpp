#include "tools/os/affinity_restorer.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <set>
#include <unistd.h>
#include <utility>

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "os/processes/processes.hpp"
#include "os/threads/affinity.hpp"

namespace charm::os {
namespace {

// What comes through the pipe: a process to watch over, the negative of a thread to leave alone, or this.
constexpr int dismissed = 0;

/// Children inherit the mask of the thread that created them, also those that were not followed.
/// \param freed threads that need not be freed again, or at all. \returns whether there were others.
bool free_more(int program, const CpuSet& mask, std::set<int>& freed) {
  const Processes processes;
  bool more = false;
  std::set<int> known{program};
  std::vector<int> open{program};
  while (!open.empty()) {
    const int process = open.back();
    open.pop_back();
    for (const int thread : processes.threads(process)) {
      if (freed.insert(thread).second) {
        bind_thread(thread, mask);
        more = true;
      }
      for (const int child : processes.children(process, thread)) {
        if (known.insert(child).second) open.push_back(child);
      }
    }
  }
  return more;
}

/// A thread that is created meanwhile inherits the mask of its creator, which may still be bound.
void free_threads(int program, const CpuSet& mask, std::set<int> freed) {
  constexpr int freeing_rounds = 8;
  for (int round = 0; round < freeing_rounds && free_more(program, mask, freed); ++round) {
  }
}

[[noreturn]] void stand_guard(int pipe, const CpuSet& mask) {
  setsid();  // signals to the program's process group must not reach the restorer
  prctl(PR_SET_NAME, "charm-restorer");
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  // A reader that waits for the end of the program's output, or of any other pipe, must not wait for the restorer.
  dup2(pipe, 0);
  pipe = 0;
#ifdef SYS_close_range
  if (syscall(SYS_close_range, 1U, ~0U, 0U) != 0)
#endif
  {
    for (int file = 1; file < 1024; ++file) close(file);
  }
  ProcessIdentity program;
  std::set<int> left_alone;
  for (;;) {
    int word = 0;
    const ssize_t got = read(pipe, &word, sizeof word);
    if (got < 0 && errno == EINTR) continue;
    if (got == sizeof word && word != dismissed) {
      if (word > 0) program = identity(word);
      if (word < 0) left_alone.insert(-word);
      continue;
    }
    // By its start time too: meanwhile another process may have got its number.
    if (got != sizeof word && Processes().alive(program)) free_threads(program.pid, mask, std::move(left_alone));
    _exit(0);
  }
}

}  // namespace

AffinityRestorer::AffinityRestorer(const CpuSet& mask) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return;
  pid_ = fork();
  if (pid_ == 0) {
    close(ends[1]);
    stand_guard(ends[0], mask);
  }
  close(ends[0]);
  if (pid_ < 0) {
    close(ends[1]);
    return;
  }
  pipe_ = ends[1];
}

AffinityRestorer::~AffinityRestorer() {
  if (pipe_ < 0) return;
  const int word = dismissed;
  [[maybe_unused]] const ssize_t put = write(pipe_, &word, sizeof word);
  close(pipe_);
  waitpid(pid_, nullptr, 0);
}

void AffinityRestorer::watch_over(int pid) const {
  if (pipe_ < 0) return;
  [[maybe_unused]] const ssize_t put = write(pipe_, &pid, sizeof pid);
}

void AffinityRestorer::leave_alone(int thread) const {
  if (pipe_ < 0) return;
  const int word = -thread;
  [[maybe_unused]] const ssize_t put = write(pipe_, &word, sizeof word);
}

}  // namespace charm::os
