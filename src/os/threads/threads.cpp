#include "os/threads/threads.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <pthread.h>
#include <system_error>
#include <unistd.h>

#include <sys/resource.h>
#include <sys/syscall.h>

#include "os/machine/cgroup.hpp"

namespace charm::os {

int threads_of_process() noexcept {
  std::error_code error;
  std::filesystem::directory_iterator entry("/proc/self/task", error);
  int count = 0;
  while (!error && entry != std::filesystem::directory_iterator()) {
    ++count;
    entry.increment(error);
  }
  return error ? -1 : count;
}

int this_thread_number() noexcept { return static_cast<int>(syscall(SYS_gettid)); }
bool is_first_thread(int number) noexcept { return number == getpid(); }

std::string thread_limits(const std::string& root) {
  std::string text;
  auto add = [&](const std::string& name, unsigned long long value, const char* unit) {
    text += (text.empty() ? "" : ", ") + name + " is " + std::to_string(value) + unit;
  };
  if (const std::int64_t threads = read_cgroup_limits(root).threads; threads > 0)
    add("pids.max of the cgroup", static_cast<unsigned long long>(threads), "");
  rlimit limit{};
  if (getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) add("RLIMIT_NPROC", limit.rlim_cur, "");
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    add("RLIMIT_AS", limit.rlim_cur >> 20, " MiB");
  unsigned long long all = 0;
  if (std::ifstream(std::filesystem::path(root) / "proc/sys/kernel/threads-max") >> all)
    add("kernel.threads-max", all, "");
  return text.empty() ? "no limit is known" : text;
}

void name_this_thread(const std::string& name) noexcept {
  constexpr std::size_t most = 15;  // the kernel refuses longer ones
  char text[most + 1] = {};
  name.copy(text, most);
  pthread_setname_np(pthread_self(), text);
}

}  // namespace charm::os
