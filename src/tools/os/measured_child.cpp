#include "tools/os/measured_child.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <string_view>
#include <system_error>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "os/files/own_file.hpp"
#include "os/memory/memory.hpp"

extern char** environ;

namespace charm::os {
namespace {

constexpr double grace_s = 2;  // between asking a program to end and ending it

[[noreturn]] void refuse(const char* what, int error) {
  throw Error(Errc::system, std::string(what) + ": " + std::generic_category().message(error),
              "close other programs or raise the limits of this one (ulimit -a)");
}

/// While it exists, SIGCHLD and the signals that ask to stop are read from a descriptor.
class Signals {
 public:
  static constexpr std::array<int, 4> asking_to_stop = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

  Signals() {
    sigset_t taken;
    sigemptyset(&taken);
    sigaddset(&taken, SIGCHLD);
    for (const int signal : asking_to_stop) sigaddset(&taken, signal);
    pthread_sigmask(SIG_BLOCK, &taken, &before_);
    // While SIGCHLD is ignored the kernel reaps children itself, and their resource usage is lost.
    struct sigaction plain{};
    plain.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &plain, &child_before_);
    descriptor_.reset(signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK));
    if (descriptor_.get() < 0) refuse("cannot read signals (signalfd)", errno);
  }
  ~Signals() {
    sigaction(SIGCHLD, &child_before_, nullptr);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_.get(); }
  [[nodiscard]] const sigset_t& mask_before() const { return before_; }

  /// The next signal that came; 0: none.
  [[nodiscard]] int next() const {
    signalfd_siginfo info{};
    return read(descriptor_.get(), &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo) : 0;
  }

 private:
  sigset_t before_{};
  struct sigaction child_before_{};
  Descriptor descriptor_;
};

/// What posix_spawn does in the child before exec.
class SpawnOptions {
 public:
  SpawnOptions(const ChildRequest& request, const Signals& signals, int error_pipe, int output_pipe) {
    posix_spawn_file_actions_init(&files_);
    posix_spawnattr_init(&attributes_);
    const char* input = request.input.empty() ? "/dev/null" : request.input.c_str();
    // A root folder of its own may have no devices: there a file without content is as good.
    if (request.input.empty() && access(input, R_OK) != 0) nothing_.reset(memfd_create("nothing", MFD_CLOEXEC));
    if (nothing_.get() >= 0) {
      posix_spawn_file_actions_adddup2(&files_, nothing_.get(), STDIN_FILENO);
    } else {
      posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, input, O_RDONLY, 0);
    }
    if (request.show_output) {
      posix_spawn_file_actions_adddup2(&files_, STDERR_FILENO, STDOUT_FILENO);
    } else {
      if (output_pipe >= 0) {
        posix_spawn_file_actions_adddup2(&files_, output_pipe, STDOUT_FILENO);
      } else {
        posix_spawn_file_actions_addopen(&files_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
      }
      posix_spawn_file_actions_adddup2(&files_, error_pipe, STDERR_FILENO);
    }
    sigset_t mask = signals.mask_before();
    if (request.may_be_stopped) {
      for (const int signal : Signals::asking_to_stop) sigdelset(&mask, signal);
    }
    posix_spawnattr_setsigmask(&attributes_, &mask);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK);
  }
  ~SpawnOptions() {
    posix_spawnattr_destroy(&attributes_);
    posix_spawn_file_actions_destroy(&files_);
  }
  SpawnOptions(const SpawnOptions&) = delete;
  SpawnOptions& operator=(const SpawnOptions&) = delete;

  int start(std::vector<std::string> words, std::vector<std::string> variables, pid_t& child) const {
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    // Of two entries with one name the first is found.
    std::vector<char*> environment;
    for (std::string& variable : variables) environment.push_back(variable.data());
    for (char** each = environ; *each != nullptr; ++each) environment.push_back(*each);
    environment.push_back(nullptr);
    return posix_spawnp(&child, pointers.front(), &files_, &attributes_, pointers.data(), environment.data());
  }

 private:
  Descriptor nothing_;
  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

/// Reads what the pipe holds at the moment, and keeps the last `most` bytes of everything read so far.
/// \return false when nobody can write to it any more.
bool drain(int pipe, std::string& tail, std::size_t most) {
  std::array<char, 16384> piece{};
  while (true) {
    const ssize_t got = read(pipe, piece.data(), piece.size());
    if (got < 0) return errno == EINTR || errno == EAGAIN;
    if (got == 0) return false;
    tail.append(piece.data(), static_cast<std::size_t>(got));
    if (tail.size() > most) tail.erase(0, tail.size() - most);
  }
}

/// The same for stdout, of which the first `most` bytes are kept.
bool drain_into(int pipe, std::string& said, std::size_t most) {
  std::array<char, 65536> piece{};
  for (int pieces = 0; pieces < 64; ++pieces) {  // signals are waiting, too
    const ssize_t got = read(pipe, piece.data(), piece.size());
    if (got < 0) return errno == EINTR || errno == EAGAIN;
    if (got == 0) return false;
    said.append(piece.data(), std::min(static_cast<std::size_t>(got), most - said.size()));
  }
  return true;
}

/// The same for stdout, of which a hash is kept.
bool drain(int pipe, ChildOutput& output) {
  std::array<char, 65536> piece{};
  for (int pieces = 0; pieces < 64; ++pieces) {  // signals are waiting, too
    const ssize_t got = read(pipe, piece.data(), piece.size());
    if (got < 0) return errno == EINTR || errno == EAGAIN;
    if (got == 0) return false;
    output.bytes += static_cast<std::uint64_t>(got);
    for (ssize_t i = 0; i < got; ++i) {
      output.hash ^= static_cast<unsigned char>(piece[static_cast<std::size_t>(i)]);
      output.hash *= 0x100000001b3U;
    }
  }
  return true;
}

/// Can be read when the process has ended; none before Linux 5.3, or where a sandbox refuses it.
Descriptor end_of(pid_t process) {
  Descriptor descriptor;
#ifdef SYS_pidfd_open
  descriptor.reset(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
#else
  static_cast<void>(process);
#endif
  return descriptor;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

void take(ChildResult& result, int status, const rusage& usage) {
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  result.user_s = seconds(usage.ru_utime);
  result.system_s = seconds(usage.ru_stime);
  result.peak_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  result.page_faults = static_cast<std::uint64_t>(usage.ru_majflt);
  result.forced_switches = static_cast<std::uint64_t>(usage.ru_nivcsw);
}

}  // namespace

ChildResult run_child(const ChildRequest& request) {
  ChildResult result;
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) refuse("cannot make a pipe", errno);
  Descriptor from_child(ends[0]);
  Descriptor to_parent(ends[1]);
  fcntl(from_child.get(), F_SETFL, O_NONBLOCK);  // of our end alone
  std::array<int, 2> output_ends = {-1, -1};
  const bool hashes = request.hash_output && !request.show_output;
  const bool reads = hashes || (request.output_bytes > 0 && !request.show_output);
  if (reads && pipe2(output_ends.data(), O_CLOEXEC) != 0) refuse("cannot make a pipe", errno);
  Descriptor output_from_child(output_ends[0]);
  Descriptor output_to_parent(output_ends[1]);
  if (reads) fcntl(output_from_child.get(), F_SETFL, O_NONBLOCK);
  if (hashes) result.output.emplace();
  const auto drain_output = [&] {
    return hashes ? drain(output_from_child.get(), *result.output)
                  : drain_into(output_from_child.get(), result.said, request.output_bytes);
  };
  const PeakMemory own;  // resets our own peak, below which the child's cannot be seen
  result.floor_bytes = own.bytes();
  const Signals signals;
  const SpawnOptions plan(request, signals, to_parent.get(), output_to_parent.get());

  using Clock = std::chrono::steady_clock;
  pid_t child = -1;
  const auto started = Clock::now();
  result.start_error = plan.start(request.words, request.variables, child);
  to_parent.reset();
  output_to_parent.reset();
  if (result.start_error != 0) return result;

  // SIGCHLD may go to another thread of this process, which does not block it.
  const Descriptor end = end_of(child);
  const int nap_ms = request.limit_s > 0 || end.get() < 0 ? 100 : -1;
  bool open = true;
  bool output_open = reads;
  int kills = 0;
  while (true) {
    int status = 0;
    rusage usage{};
    const pid_t ended = wait4(child, &status, WNOHANG, &usage);
    if (ended == child) {
      result.wall_s = std::chrono::duration<double>(Clock::now() - started).count();
      take(result, status, usage);
      break;
    }
    if (ended < 0 && errno != EINTR) refuse("cannot wait for a program", errno);
    std::array<pollfd, 4> watched = {{{signals.descriptor(), POLLIN, 0},
                                      {open ? from_child.get() : -1, POLLIN, 0},
                                      {output_open ? output_from_child.get() : -1, POLLIN, 0},
                                      {end.get(), POLLIN, 0}}};
    poll(watched.data(), watched.size(), nap_ms);
    const double running = std::chrono::duration<double>(Clock::now() - started).count();
    if (request.limit_s > 0 && running > request.limit_s + grace_s * kills && kills < 2) {
      result.too_long = true;
      kill(child, kills++ == 0 ? SIGTERM : SIGKILL);
    }
    if (watched[1].revents != 0) open = drain(from_child.get(), result.error_tail, request.tail_bytes);
    if (watched[2].revents != 0) output_open = drain_output();
    while (const int signal = signals.next()) {
      if (signal == SIGCHLD) continue;
      result.interrupted = signal;
      kill(child, signal);
    }
  }
  if (open) drain(from_child.get(), result.error_tail, request.tail_bytes);
  if (output_open) drain_output();
  while (const int signal = signals.next()) {
    if (signal != SIGCHLD) result.interrupted = signal;
  }
  return result;
}

}  // namespace charm::os
