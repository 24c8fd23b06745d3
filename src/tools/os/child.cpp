#include "tools/os/child.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>

#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include "os/files/set_aside.hpp"
#include "os/processes/processes.hpp"
#include "tools/os/program_file.hpp"

namespace charm::os {
namespace {

/// The signals that users and programs send on purpose. Faults, SIGPIPE and the caller's timers concern the caller
/// alone.
std::vector<int> signals_to_pass() {
  std::vector<int> all = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM,  SIGUSR1, SIGUSR2, SIGALRM, SIGCONT,
                          SIGTSTP, SIGTTIN, SIGTTOU, SIGWINCH, SIGIO,   SIGPWR,  SIGXCPU, SIGXFSZ};
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) all.push_back(signal);
  return all;
}

sigset_t set_of(const std::vector<int>& signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals) sigaddset(&set, signal);
  return set;
}

struct sigaction disposition(sighandler_t handler) {
  struct sigaction action{};
  action.sa_handler = handler;
  return action;
}

/// Whether the parent is a shell that gave this process a group of its own and is told when that stops. Others wait for
/// its end alone, and would never continue it.
bool has_a_shell_with_jobs() {
  const pid_t parent = getppid();
  return getsid(parent) == getsid(0) && getpgid(parent) != getpgrp();
}

/// Continues the caller's parent when the program goes on, or has ended, while the parent is stopped.
[[noreturn]] void continue_parent_with(int program) {
  constexpr unsigned look_us = 50000;
  const pid_t parent = getppid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_NAME, "charm-continuer");
  setsid();
  const Processes processes;
  for (;;) {
    const auto status = processes.status(program);
    if (getppid() != parent) _exit(0);
    if (!status || (status->state != 'T' && status->state != 't')) break;
    usleep(look_us);
  }
  kill(parent, SIGCONT);
  _exit(0);
}

bool stops_jobs(int signal) { return signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU; }

/// The caller's environment with the variables set; the strings live as long as `own` and the environment do.
std::vector<char*> environment_with(const std::vector<std::pair<std::string, std::string>>& variables,
                                    std::vector<std::string>& own) {
  for (const auto& [name, value] : variables) own.push_back(name + "=" + value);
  std::vector<char*> all;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view entry = *each;
    const bool set = std::any_of(variables.begin(), variables.end(), [&](const auto& variable) {
      return entry.size() > variable.first.size() && entry.starts_with(variable.first) &&
             entry[variable.first.size()] == '=';
    });
    if (!set) all.push_back(*each);
  }
  for (std::string& entry : own) all.push_back(entry.data());
  all.push_back(nullptr);
  return all;
}

}  // namespace

Child::Child(const Start& start) {
  std::vector<int> watched = signals_to_pass();
  watched.push_back(SIGCHLD);
  const sigset_t set = set_of(watched);
  // While SIGCHLD is ignored the kernel reaps children itself, and their exit status is lost.
  const struct sigaction reaping = disposition(SIG_DFL);
  const struct sigaction ignoring = disposition(SIG_IGN);
  sigaction(SIGCHLD, &reaping, &child_before_);
  sigaction(SIGPIPE, &ignoring, &pipe_before_);
  sigprocmask(SIG_BLOCK, &set, &before_);
  std::vector<char*> words;
  for (const std::string& word : start.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  std::vector<std::string> own;
  const std::vector<char*> environment = environment_with(start.variables, own);

  signals_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  // The child uses this process's memory, and this process waits until the child has called exec or has failed. Copying
  // the page tables (fork) would take longer than everything else together.
  volatile int error = signals_ < 0 ? errno : 0;
  pid_ = signals_ < 0 ? -1 : vfork();  // NOLINT(bugprone-unsafe-functions): posix_spawn sets no mask of cpus
  if (pid_ == 0) {
    restore_dispositions();
    sigprocmask(SIG_SETMASK, &before_, nullptr);
    restore_file_limit();
    if (start.prepare) start.prepare();
    execvpe(words.front(), words.data(), environment.data());
    error = errno;
    _exit(127);
  }
  const bool made = pid_ > 0;
  if (!made && error == 0) error = errno;
  if (made && error == 0) return;
  if (made) waitpid(pid_, nullptr, 0);
  if (signals_ >= 0) close(signals_);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
  restore_dispositions();
  if (made) throw NotStarted{error};
  throw Error(Errc::system, std::string("cannot start a process: ") + std::strerror(error),
              "raise the limits on processes and open files");
}

Child::~Child() {
  close(signals_);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
  restore_dispositions();
}

void Child::restore_dispositions() const {
  sigaction(SIGCHLD, &child_before_, nullptr);
  sigaction(SIGPIPE, &pipe_before_, nullptr);
}

std::optional<Ended> Child::attend() {
  signalfd_siginfo signal{};
  while (read(signals_, &signal, sizeof signal) == sizeof signal) {
    if (static_cast<int>(signal.ssi_signo) != SIGCHLD) pass_on(signal);
  }
  return reap();
}

void Child::pass_on(const signalfd_siginfo& signal) const {
  const int number = static_cast<int>(signal.ssi_signo);
  if (signal.ssi_code > 0 || static_cast<int>(signal.ssi_pid) == pid_) return;  // once; the child's own to its group
  if (static_cast<int>(signal.ssi_pid) == getpid()) return;  // the kernel's, of what the caller itself has written
  if (number >= SIGRTMIN) {
    sigval value{};
    value.sival_ptr = reinterpret_cast<void*>(signal.ssi_ptr);
    sigqueue(pid_, number, value);
    return;
  }
  kill(pid_, number);
}

std::optional<Ended> Child::reap() {
  int status = 0;
  Ended ended;
  while (wait4(pid_, &status, WNOHANG | WUNTRACED, &ended.used) == pid_) {
    if (WIFSTOPPED(status)) {
      const int signal = WSTOPSIG(status);
      if (stops_jobs(signal) || (signal == SIGSTOP && has_a_shell_with_jobs())) stop_with(signal);
      continue;
    }
    if (WIFSIGNALED(status)) {
      ended.signal = WTERMSIG(status);
    } else {
      ended.code = WEXITSTATUS(status);
    }
    return ended;
  }
  return std::nullopt;
}

/// Stops the caller, so that the shell sees what it would see of the program. In an orphaned process group the kernel
/// ignores the signal, for the caller as for the child.
void Child::stop_with(int signal) const {
  const struct sigaction plain = disposition(SIG_DFL);
  struct sigaction before{};
  // A shell has a process group of its own. While it has the terminal, the caller's shell knows nothing of that group,
  // and would give the terminal back to the caller's alone.
  const int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
  const pid_t group = getpgid(pid_);
  const bool had_terminal = terminal >= 0 && group > 0 && group != getpgrp() && tcgetpgrp(terminal) == group;
  const pid_t continuer = fork();  // stop and continue together
  if (continuer == 0) continue_parent_with(pid_);
  sigaction(signal, &plain, &before);  // SIGSTOP has no other one
  sigset_t only;
  sigset_t mask;
  sigemptyset(&only);
  sigaddset(&only, signal);
  raise(signal);                           // blocked still, but for SIGSTOP: pending
  sigprocmask(SIG_UNBLOCK, &only, &mask);  // stops here
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  if (had_terminal && tcgetpgrp(terminal) == getpgrp()) tcsetpgrp(terminal, group);
  if (terminal >= 0) close(terminal);
  if (signal != SIGSTOP) sigaction(signal, &before, nullptr);
  if (continuer <= 0) return;
  kill(continuer, SIGKILL);
  waitpid(continuer, nullptr, 0);
}

int cannot_run(const std::string& program) { return find_program(program).error; }

EndSignals::EndSignals() {
  const sigset_t set = set_of({SIGHUP, SIGINT, SIGQUIT, SIGTERM});
  sigprocmask(SIG_BLOCK, &set, &before_);
  signals_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  const struct sigaction ignoring = disposition(SIG_IGN);
  sigaction(SIGPIPE, &ignoring, &pipe_before_);
  if (signals_ < 0) {
    throw Error(Errc::system, std::string("cannot wait for signals: ") + std::strerror(errno),
                "raise the limit on open files");
  }
}

EndSignals::~EndSignals() {
  close(signals_);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
  sigaction(SIGPIPE, &pipe_before_, nullptr);
}

int EndSignals::arrived() {
  signalfd_siginfo signal{};
  return read(signals_, &signal, sizeof signal) == sizeof signal ? static_cast<int>(signal.ssi_signo) : 0;
}

int end_like(const Ended& ended) {
  if (ended.signal == 0) return ended.code;
  rlimit core{};
  getrlimit(RLIMIT_CORE, &core);
  core.rlim_cur = 0;  // the program has written its own, if core dumps are on
  setrlimit(RLIMIT_CORE, &core);
  const struct sigaction plain = disposition(SIG_DFL);
  sigaction(ended.signal, &plain, nullptr);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, ended.signal);
  raise(ended.signal);
  sigprocmask(SIG_UNBLOCK, &only, nullptr);
  return 128 + ended.signal;
}

}  // namespace charm::os
