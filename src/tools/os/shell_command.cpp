#include "tools/os/shell_command.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "os/files/set_aside.hpp"

namespace charm::os {
namespace {

constexpr std::size_t most_said = 4096;

/// Reads what a pipe holds at the moment and keeps the first or the last `most_said` bytes.
/// \return false when nobody can write to it any more.
bool drain(int pipe, std::string& text, bool first) {
  std::array<char, most_said> piece{};
  for (int pieces = 0; pieces < 32; ++pieces) {  // as much as a pipe holds; the caller has other things to do
    const ssize_t got = read(pipe, piece.data(), piece.size());
    if (got < 0) return errno == EINTR || errno == EAGAIN;
    if (got == 0) return false;
    text.append(piece.data(), static_cast<std::size_t>(got));
    if (text.size() <= most_said) continue;
    if (first) return true;
    text.erase(0, text.size() - most_said);
  }
  return true;
}

std::string last_line(std::string text) {
  text.resize(text.find_last_not_of(" \n") + 1);
  return text.substr(text.find_last_of('\n') + 1);
}

/// In the child: signals as a program expects them.
void plain_signals() {
  struct sigaction plain{};
  plain.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) sigaction(signal, &plain, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

}  // namespace

ShellCommand::ShellCommand(const std::string& command) {
  std::array<int, 2> out = {-1, -1}, err = {-1, -1};
  const bool piped = pipe2(out.data(), O_CLOEXEC) == 0 && pipe2(err.data(), O_CLOEXEC) == 0;
  const char* const words[] = {"sh", "-c", command.c_str(), nullptr};
  int error = piped ? 0 : errno;
  const pid_t parent = getpid();
  if (piped) process_ = vfork();  // NOLINT(bugprone-unsafe-functions): posix_spawn sets neither limits nor prctl
  if (piped && process_ == 0) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing >= 0 ? nothing : out[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    dup2(err[1], STDERR_FILENO);
    restore_file_limit();
    plain_signals();
    execv("/bin/sh", const_cast<char**>(words));
    _exit(127);
  }
  if (piped && process_ < 0) error = errno;
  for (const int end : {out[1], err[1]}) {
    if (end >= 0) close(end);
  }
  out_ = out[0];
  err_ = err[0];
  if (process_ > 0) {
    fcntl(out_, F_SETFL, O_NONBLOCK);
    fcntl(err_, F_SETFL, O_NONBLOCK);
    return;
  }
  close_pipes();
  throw Error(Errc::system, "cannot start 'sh': " + std::string(std::strerror(error)),
              "raise the limits on processes and open files");
}

ShellCommand::~ShellCommand() {
  close_pipes();
  if (process_ <= 0) return;
  kill();
  waitpid(process_, nullptr, WNOHANG);
}

void ShellCommand::close_pipes() {
  for (int* const pipe : {&out_, &err_}) {
    if (*pipe >= 0) close(*pipe);
    *pipe = -1;
  }
}

void ShellCommand::kill() const {
  if (process_ > 0) ::kill(-process_, SIGKILL);
}

std::optional<ShellCommand::Result> ShellCommand::ended() {
  if (process_ <= 0) return std::nullopt;
  int status = 0;
  rusage used{};
  // Where SIGCHLD is ignored the kernel keeps no status of what has ended.
  const pid_t known = wait4(process_, &status, WNOHANG, &used);
  const bool over = known == process_ || (known < 0 && errno == ECHILD);
  if (out_ >= 0) {
    const bool open = drain(out_, result_.said, true);
    result_.too_much = result_.said.size() > most_said;
    if (!open || result_.too_much) {
      close(out_);
      out_ = -1;
    }
  }
  if (err_ >= 0 && !drain(err_, result_.last_error, false)) {
    close(err_);
    err_ = -1;
  }
  if (!over) return std::nullopt;
  kill();  // what it has left running
  process_ = -1;
  close_pipes();
  result_.said.resize(std::min(result_.said.size(), most_said));
  result_.last_error = last_line(std::move(result_.last_error));
  if (WIFSIGNALED(status)) result_.signal = WTERMSIG(status);
  if (WIFEXITED(status)) result_.code = WEXITSTATUS(status);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  result_.cpu_seconds = seconds(used.ru_utime) + seconds(used.ru_stime);
  return std::move(result_);
}

}  // namespace charm::os
