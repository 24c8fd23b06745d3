#include "os/processes/this_process.hpp"

#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <system_error>
#include <unistd.h>

#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/utsname.h>

namespace charm::os {

int process_id() noexcept { return static_cast<int>(getpid()); }

unsigned user_id() noexcept { return geteuid(); }

bool has_more_rights_than_caller() noexcept { return getauxval(AT_SECURE) != 0; }

void forget_variables(std::string_view prefix) {
  std::vector<std::string> names;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (text.starts_with(prefix)) names.emplace_back(text.substr(0, text.find('=')));
  }
  for (const std::string& name : names) unsetenv(name.c_str());
}

std::string program_path() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::string() : path.string();
}

namespace {

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  return arguments;
}

}  // namespace

int become(const std::string& path, const std::vector<std::string>& words) {
  execv(path.c_str(), pointers_to(words).data());
  return errno;
}

int become_found(const std::vector<std::string>& words) {
  execvp(words.front().c_str(), pointers_to(words).data());
  return errno;
}

std::string host_name() {
  utsname system{};
  return uname(&system) == 0 ? system.nodename : "";
}

std::string kernel_name() {
  utsname system{};
  if (uname(&system) != 0) return "unknown";
  return std::string(system.sysname) + " " + system.release + " " + system.machine;
}

double cpu_seconds() noexcept {
  timespec used{};
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) != 0) return 0;
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

double cpu_seconds_of_children() noexcept {
  rusage used{};
  if (getrusage(RUSAGE_CHILDREN, &used) != 0) return 0;
  return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

void write_to_stderr(std::string_view text) noexcept {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace charm::os
