#include "os/processes/processes.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <unistd.h>
#include <utility>

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/utf8.hpp"
#include "os/files/system_files.hpp"
#include "os/machine/load_average.hpp"

namespace charm::os {

std::string proc_trouble() {
  std::array<char, 32> own{};
  const ssize_t length = readlink("/proc/self", own.data(), own.size());
  std::string_view text(own.data(), length < 0 ? 0 : static_cast<std::size_t>(length));
  if (next_number<int>(text) == getpid()) return "";
  const bool mounted = access("/proc/stat", F_OK) == 0;
  return mounted ? "/proc shows the processes of another PID namespace" : "/proc is not mounted";
}

Processes::Processes(std::string root) : root_(std::move(root)), proc_(path_below(root_, "proc/")) {
  // Some container runtimes show a /proc/loadavg of their own, which is out of date.
  struct statfs system{};
  trusts_loadavg_ = proc_ != "/proc/" || (statfs("/proc/loadavg", &system) == 0 && system.f_type == PROC_SUPER_MAGIC);
  if (proc_ == "/proc/" && !proc_trouble().empty()) proc_ = "/proc/self/none/";
}

std::string Processes::file(int pid, const char* name) const { return proc_ + std::to_string(pid) + "/" + name; }

std::string Processes::file(int pid, int thread, const char* name) const {
  return proc_ + std::to_string(pid) + "/task/" + std::to_string(thread) + "/" + name;
}

std::optional<ProcessStatus> Processes::status(int pid) const {
  std::array<char, 1024> buffer{};
  const auto stat = parse_process_stat(read_start(file(pid, "stat"), buffer));
  if (!stat || !stat->started) return std::nullopt;
  constexpr std::uint64_t kernel_thread = 0x00200000;  // PF_KTHREAD
  return ProcessStatus{*stat->started,   stat->parent,       stat->state,         (stat->flags & kernel_thread) != 0,
                       stat->used_ticks, stat->waited_ticks, stat->resident_pages};
}

std::optional<unsigned> Processes::owner(int pid) const {
  const std::string whole = read_text(file(pid, "status"));
  std::string_view users = value_of(whole, "Uid:").value_or("");
  next_number<unsigned>(users);  // the real one
  return next_number<unsigned>(users);
}

std::optional<int> Processes::process_of(int thread) const {
  const std::string whole = read_text(file(thread, "status"));
  std::string_view process = value_of(whole, "Tgid:").value_or("");
  return next_number<int>(process);
}

std::vector<int> Processes::threads(int pid) const {
  auto ids = numbered_entries(file(pid, "task"));
  // Ids are given in ascending order and begin anew above a limit: the first thread's is the process's own.
  std::rotate(ids.begin(), std::lower_bound(ids.begin(), ids.end(), pid), ids.end());
  return ids;
}

std::vector<int> Processes::children(int pid, int thread) const {
  std::vector<int> pids;
  const std::string path = file(pid, thread, "children");
  if (access(path.c_str(), R_OK) == 0) {
    const std::string whole = read_text(path);
    std::string_view text = whole;
    while (const auto child = next_number<int>(text)) pids.push_back(*child);
    return pids;
  }
  if (thread != pid) return pids;  // a kernel without that file: find children by the parents of all processes
  for (const int other : numbered_entries(proc_)) {
    if (const auto known = status(other); known && known->parent == pid) pids.push_back(other);
  }
  return pids;
}

std::optional<ThreadTime> Processes::time(int pid, int thread) const {
  std::array<char, 1024> buffer{};
  if (const auto time = parse_schedstat(read_start(schedstat(pid, thread), buffer))) return time;
  const auto stat = parse_process_stat(read_start(file(pid, thread, "stat"), buffer));
  if (!stat) return std::nullopt;
  return ThreadTime{static_cast<std::uint64_t>(static_cast<double>(stat->used_ticks) * tick_seconds() * 1e9), 0};
}

bool Processes::runnable(int pid, int thread) const {
  std::array<char, 1024> buffer{};
  const auto stat = parse_process_stat(read_start(file(pid, thread, "stat"), buffer));
  return stat && stat->state == 'R';
}

std::string Processes::name(int pid, int thread) const {
  std::array<char, 64> buffer{};
  std::string_view text = read_start(file(pid, thread, "comm"), buffer);
  if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  return base::printable(text);
}

std::optional<int> Processes::last_created() const {
  if (!trusts_loadavg_) return std::nullopt;
  const auto load = read_load_average(root_);
  return load && load->last_created > 0 ? std::optional(load->last_created) : std::nullopt;
}

bool Processes::alive(const ProcessIdentity& process) const {
  const auto known = status(process.pid);
  if (!known || known->started != process.started) return false;
  // The first thread has ended; while others have not, the process still has its memory and its ports.
  return (known->state != 'Z' && known->state != 'X') || threads(process.pid).size() > 1;
}

ProcessIdentity identity(int pid, const Processes& processes) {
  const auto known = processes.status(pid);
  return {pid, known ? known->started : 0};
}

ProcessIdentity this_process(const Processes& processes) { return identity(getpid(), processes); }

std::uint64_t process_namespace(const std::string& root) {
  struct stat known{};
  return stat(path_below(root, "proc/self/ns/pid").c_str(), &known) == 0 ? static_cast<std::uint64_t>(known.st_ino) : 0;
}

}  // namespace charm::os
