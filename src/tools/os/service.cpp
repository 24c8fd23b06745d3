#include "tools/os/service.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <grp.h>
#include <pwd.h>
#include <string_view>
#include <unistd.h>

#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "os/files/own_file.hpp"
#include "os/files/system_files.hpp"
#include "os/memory/thread_memory.hpp"
#include "os/processes/this_process.hpp"
#include "os/threads/affinity.hpp"

namespace charm::os {
namespace {

/// What the child does before it becomes the program, in this order.
enum class Step : int { log, folder, cpus, memory, program };

struct Failure {
  Step step = Step::program;
  int error = 0;
};

std::string problem_of(const Failure& failure, const ServiceStart& start) {
  std::string what;
  switch (failure.step) {
    case Step::log:
      what = "cannot write its log '" + start.log + "'";
      break;
    case Step::folder:
      what = "cannot enter its folder '" + start.folder + "'";
      break;
    case Step::cpus:
      what = "cannot be bound to cpus " + start.cpus.to_text();
      break;
    case Step::memory:
      what = start.memory == MemoryPolicy::weighted_interleave
                 ? "cannot have its memory interleaved by weights (Linux 6.9 and later can) over NUMA nodes "
                 : "cannot be bound to the memory of NUMA nodes ";
      what += start.nodes.to_text();
      break;
    case Step::program:
      what = "cannot run '" + start.words.front() + "'";
      break;
  }
  return what + ": " + std::strerror(failure.error);
}

void reset_signals() {
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction plain{};
    plain.sa_handler = SIG_DFL;
    sigaction(signal, &plain, nullptr);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// A descriptor of the log, or none. Not one of a FIFO that a worker has put in its place: opening that would wait for
/// a reader, and with it whoever supervises the worker.
Descriptor open_log(const std::string& log) {
  OwnFile file = open_own_file(log, O_WRONLY | O_CREAT | O_APPEND, 0644);
  if (file.descriptor && fcntl(file.descriptor.get(), F_SETFL, O_APPEND) == 0) return std::move(file.descriptor);
  errno = EINVAL;
  return Descriptor();
}

bool redirect(const std::string& log) {
  const Descriptor input(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const Descriptor output = open_log(log);
  return input && output && dup2(input.get(), STDIN_FILENO) >= 0 && dup2(output.get(), STDOUT_FILENO) >= 0 &&
         dup2(output.get(), STDERR_FILENO) >= 0;
}

/// The kernel reduces a mask to what the cpuset allows without a word.
bool bound_to(const CpuSet& cpus) {
  if (!bind_this_thread(cpus)) return false;
  if (allowed_cpus() == cpus) return true;
  errno = EINVAL;
  return false;
}

[[noreturn]] void be_service(const ServiceStart& start, char* const* words, int report) {
  const auto done = [&](Step step, bool well) {
    if (well) return;
    const Failure failure{step, errno};
    [[maybe_unused]] const auto written = write(report, &failure, sizeof failure);
    _exit(127);
  };
  setsid();
  reset_signals();
  done(Step::log, redirect(start.log));
  done(Step::folder, chdir(start.folder.c_str()) == 0);
  done(Step::cpus, bound_to(start.cpus));
  if (start.memory) done(Step::memory, set_memory_policy(*start.memory, start.nodes));
  for (const auto& [name, value] : start.variables) setenv(name.c_str(), value.c_str(), 1);
  constexpr unsigned close_on_exec = 4;  // CLOSE_RANGE_CLOEXEC, which older headers lack (a clean inheritance)
#ifdef SYS_close_range
  syscall(SYS_close_range, 3U, ~0U, close_on_exec);
#endif
  execvp(words[0], words);
  done(Step::program, false);
  _exit(127);
}

std::string text_of_errno() { return std::strerror(errno); }

void become(uid_t user, gid_t group, const passwd* known) {
  const bool groups = known != nullptr ? initgroups(known->pw_name, known->pw_gid) == 0 : setgroups(0, nullptr) == 0;
  const gid_t main_group = known != nullptr ? known->pw_gid : group;
  if (!groups || setresgid(main_group, main_group, main_group) != 0 || setresuid(user, user, user) != 0) {
    throw Error(Errc::system, "cannot become user " + std::to_string(user) + ": " + text_of_errno(),
                "run it as that user");
  }
  prctl(PR_SET_DUMPABLE, 1);  // the change of user took /proc/self away
  for (const char* name : {"XDG_RUNTIME_DIR", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"})
    unsetenv(name);
  if (known == nullptr) return;
  setenv("HOME", known->pw_dir, 1);
  setenv("USER", known->pw_name, 1);
  setenv("LOGNAME", known->pw_name, 1);
}

}  // namespace

void become_user(const std::string& name) {
  errno = 0;
  const passwd* entry = getpwnam(name.c_str());
  if (entry == nullptr) {
    throw Error(Errc::bad_input, "there is no user '" + name + "'", "give one that 'getent passwd' lists");
  }
  if (geteuid() != 0 && geteuid() != entry->pw_uid) {
    throw Error(Errc::bad_input, "only root can start programs as another user (" + name + ")", "leave --user out");
  }
  if (geteuid() != entry->pw_uid) become(entry->pw_uid, entry->pw_gid, entry);
}

void become_owner_of(const std::string& folder) {
  struct stat found{};
  if (geteuid() != 0 || lstat(folder.c_str(), &found) != 0 || !S_ISDIR(found.st_mode) || found.st_uid == 0) return;
  become(found.st_uid, found.st_gid, getpwuid(found.st_uid));
}

std::string user_name() {
  const passwd* entry = getpwuid(geteuid());
  return entry != nullptr ? entry->pw_name : std::to_string(geteuid());
}

void require_own_folder(const std::string& folder) {
  const int file = open(folder.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat found{};
  std::string problem;
  if (file < 0 || fstat(file, &found) != 0) {
    problem = errno == ELOOP || errno == ENOTDIR ? "it is a symbolic link or no folder" : text_of_errno();
  } else if (found.st_uid != geteuid()) {
    problem = "it belongs to user " + std::to_string(found.st_uid);
  } else if ((found.st_mode & 0002U) != 0 || ((found.st_mode & 0020U) != 0 && found.st_gid != getegid())) {
    problem = "others may write to it";
  }
  if (file >= 0) close(file);
  if (problem.empty()) return;
  throw Error(Errc::bad_input, "the folder '" + folder + "' is not safe to run programs from: " + problem,
              "give a --dir of your own that nobody else may write to, or as root name its owner with --user");
}

ProcessIdentity start_service(const ServiceStart& start) {
  std::vector<char*> words;
  for (const std::string& word : start.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  std::array<int, 2> report{};
  if (pipe2(report.data(), O_CLOEXEC) != 0) throw ServiceNotStarted{"no pipe can be made: " + text_of_errno()};
  const pid_t pid = fork();
  if (pid == 0) be_service(start, words.data(), report[1]);
  const std::string refused = pid < 0 ? text_of_errno() : "";
  close(report[1]);
  Failure failure;
  ssize_t got = -1;
  do {
    got = pid < 0 ? 0 : read(report[0], &failure, sizeof failure);
  } while (got < 0 && errno == EINTR);
  close(report[0]);
  if (pid < 0) throw ServiceNotStarted{"no process can be made: " + refused};
  if (got == static_cast<ssize_t>(sizeof failure)) {
    waitpid(pid, nullptr, 0);
    throw ServiceNotStarted{problem_of(failure, start)};
  }
  return identity(pid);
}

std::optional<ServiceEnded> service_ended(int pid) {
  int status = 0;
  const pid_t got = waitpid(pid, &status, WNOHANG);
  if (got == 0 || (got < 0 && errno == EINTR)) return std::nullopt;
  if (got < 0) return ServiceEnded{127, 0};  // it is no child of ours
  if (WIFSIGNALED(status)) return ServiceEnded{0, WTERMSIG(status)};
  return ServiceEnded{WEXITSTATUS(status), 0};
}

bool signal_process(const ProcessIdentity& process, int signal) {
  const Processes processes;
#if defined(SYS_pidfd_open) && defined(SYS_pidfd_send_signal)
  const int file = static_cast<int>(syscall(SYS_pidfd_open, process.pid, 0));
  if (file >= 0) {
    const bool sent = processes.alive(process) && syscall(SYS_pidfd_send_signal, file, signal, nullptr, 0U) == 0;
    close(file);
    return sent;
  }
  if (errno != ENOSYS) return false;
#endif
  return process.pid > 1 && processes.alive(process) && kill(process.pid, signal) == 0;  // before Linux 5.3
}

std::vector<ProcessIdentity> processes_with(const std::string& variable, const std::string& value) {
  const std::string wanted = variable + "=" + value;
  const Processes processes;
  std::vector<ProcessIdentity> found;
  for (const int pid : numbered_entries("/proc")) {
    if (pid == process_id()) continue;
    const ProcessIdentity process = identity(pid, processes);  // before: what is read must be of this one
    const std::string environment = read_text("/proc/" + std::to_string(pid) + "/environ");
    const bool first = environment.starts_with(wanted);
    if (!first && environment.find(std::string(1, '\0') + wanted) == std::string::npos) continue;
    if (processes.alive(process)) found.push_back(process);
  }
  return found;
}

void make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (!error) return;
  throw Error(Errc::system, "cannot make the folder '" + path + "': " + error.message(),
              "give another --dir, or make it for the user who runs the workers: install -d -o USER '" + path + "'");
}

}  // namespace charm::os
