#include "os/processes/confined.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <new>
#include <poll.h>
#include <string_view>
#include <unistd.h>
#include <utility>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/clock.hpp"
#include "os/files/system_files.hpp"

namespace charm::os {
namespace {

// What the child writes begins with one of these and the length of the text. The end of the pipe would not do: a child
// that another thread forks at the same time holds it open, too.
constexpr char said_mark = '+';
constexpr char problem_mark = '-';
constexpr std::size_t header_bytes = 1 + 16;

/// \param grace how far above the limit the one lies that cannot be survived.
void limit(decltype(RLIMIT_AS) what, std::size_t most, std::size_t grace = 0) {
  rlimit now{};
  if (getrlimit(what, &now) != 0) return;
  const auto at_most = [&](std::size_t wanted) {
    return now.rlim_max == RLIM_INFINITY ? static_cast<rlim_t>(wanted)
                                         : std::min(static_cast<rlim_t>(wanted), now.rlim_max);
  };
  const rlimit limits{at_most(most), at_most(most + grace)};
  setrlimit(what, &limits);
}

/// Pages of address space that this process has; 0: unknown.
std::size_t mapped_pages() {
  const std::string statm = read_text("/proc/self/statm");
  std::string_view text = statm;
  return next_number<std::size_t>(text).value_or(0);
}

void confine(const Confinement& limits) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGXCPU, SIGINT, SIGTERM, SIGPIPE})
    std::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC); nowhere >= 0) {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, stream);
  }
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, static_cast<std::size_t>(std::ceil(std::max(1.0, limits.cpu_s))), 1);
  if (const std::size_t pages = mapped_pages(); pages > 0)
    limit(RLIMIT_AS, pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + limits.bytes);
}

void write_whole(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t put = write(file, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
}

std::string message(char mark, std::string_view text) {
  std::array<char, header_bytes + 1> header{};
  std::snprintf(header.data(), header.size(), "%c%016zx", mark, text.size());
  return header.data() + std::string(text);
}

[[noreturn]] void be_the_child(int to, const Confinement& limits, char** environment,
                               const std::function<std::string()>& body) {
  environ = environment;
  confine(limits);
  std::string said;
  try {
    said = message(said_mark, body());
  } catch (const std::bad_alloc&) {
    said = message(problem_mark, "needs too much memory");
  } catch (const std::exception& error) {
    said = message(problem_mark, error.what());
  }
  write_whole(to, said);
  _exit(0);
}

enum class Heard { all, part, nothing_in_time, too_much };

/// What the child writes, with its header.
Heard listen(int from, const Confinement& limits, std::string& text) {
  const double deadline = base::monotonic_seconds() + limits.wall_s;
  std::array<char, 1 << 16> part{};
  for (;;) {
    const double left = deadline - base::monotonic_seconds();
    pollfd waiting{from, POLLIN, 0};
    const int ready = left > 0 ? poll(&waiting, 1, static_cast<int>(std::ceil(left * 1e3))) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return Heard::nothing_in_time;
    const ssize_t got = read(from, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Heard::part;
    text.append(part.data(), static_cast<std::size_t>(got));
    if (text.size() < header_bytes) continue;
    const std::size_t length = std::strtoull(text.substr(1, header_bytes - 1).c_str(), nullptr, 16);
    if (length > limits.said_bytes) return Heard::too_much;
    if (text.size() >= header_bytes + length) return Heard::all;
  }
}

std::string seconds_text(double seconds) { return "took more than " + std::to_string(std::lround(seconds)) + " s"; }

}  // namespace

ConfinedResult run_confined(const Confinement& limits, const std::function<std::string()>& body) {
  std::array<int, 2> ends{};
  const auto refuse = [] {
    throw Error(Errc::system, std::string("cannot start a process (") + std::strerror(errno) + ")",
                "raise the limits on processes, files and memory");
  };
  if (pipe2(ends.data(), O_CLOEXEC) != 0) refuse();
  // Made before the fork, and not by setenv() after it: another thread may hold the lock of the environment.
  std::vector<std::string> variables = limits.environment;
  std::vector<char*> environment;
  for (std::string& variable : variables) environment.push_back(variable.data());
  environment.push_back(nullptr);

  const pid_t child = fork();
  if (child < 0) {
    const int why = errno;
    close(ends[0]);
    close(ends[1]);
    errno = why;
    refuse();
  }
  if (child == 0) be_the_child(ends[1], limits, environment.data(), body);
  close(ends[1]);
  std::string text;
  const Heard heard = listen(ends[0], limits, text);
  close(ends[0]);
  if (heard == Heard::nothing_in_time || heard == Heard::too_much) kill(child, SIGKILL);
  int status = 0;
  pid_t ended = 0;
  while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR) {
  }
  if (heard == Heard::all) {
    text.erase(1, header_bytes - 1);
    if (text.front() == problem_mark) return {"", text.substr(1)};
    return {text.substr(1), ""};
  }
  if (heard == Heard::too_much) return {"", "gives too much"};
  if (heard == Heard::nothing_in_time) return {"", seconds_text(limits.wall_s)};
  // A handler of SIGCHLD in the program may have reaped the child; then nothing is known of its end.
  const int by = ended == child && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (by == SIGXCPU) return {"", seconds_text(limits.cpu_s)};
  if (by == SIGKILL) return {"", "was killed, as for want of memory"};
  return {"", by != 0 ? std::string("crashed (") + strsignal(by) + ")" : "ended without an answer"};
}

std::vector<std::string> environment_without(const std::vector<std::string>& names) {
  std::vector<std::string> kept;
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
    const std::string_view variable(*at);
    const std::string_view name = variable.substr(0, variable.find('='));
    if (std::find(names.begin(), names.end(), name) == names.end()) kept.emplace_back(variable);
  }
  return kept;
}

}  // namespace charm::os
