#include "os/threads/thread_list.hpp"

#include <algorithm>
#include <array>
#include <pwd.h>
#include <utility>

#include "base/utf8.hpp"
#include "os/files/system_files.hpp"
#include "os/memory/stack_memory.hpp"
#include "os/processes/process_stat.hpp"
#include "os/processes/processes.hpp"
#include "os/threads/schedstat.hpp"

namespace charm::os {
namespace {

/// The file's text, which the name in it refers to, and what it says.
struct Stat {
  std::string text;
  std::optional<ProcessStat> stat;
  explicit Stat(const std::string& folder) : text(read_text(folder + "/stat")), stat(parse_process_stat(text)) {}

  [[nodiscard]] std::string name() const { return stat ? base::printable(stat->name) : ""; }
};

std::string folder_of(int pid, const std::string& root) { return path_below(root, "proc/" + std::to_string(pid)); }

}  // namespace

std::optional<ProcessView> process(int pid, const std::string& root) {
  const Stat file(folder_of(pid, root));
  if (!file.stat) return std::nullopt;
  ProcessView view;
  view.pid = pid;
  view.name = file.name();
  view.threads = file.stat->threads;
  view.cpu_s = static_cast<double>(file.stat->used_ticks) * tick_seconds();
  view.started = file.stat->started.value_or(0);
  view.parent = file.stat->parent;
  view.state = file.stat->state;
  view.resident_bytes = file.stat->resident_pages * page_bytes();
  return view;
}

std::vector<ProcessView> processes(const std::string& root) {
  std::vector<ProcessView> all;
  for (const int pid : numbered_entries(path_below(root, "proc"))) {
    if (auto view = process(pid, root)) all.push_back(std::move(*view));
  }
  return all;
}

ProcessOwner owner_of(int pid, const std::string& root) {
  ProcessOwner owner;
  // The arguments, each with a NUL behind it; a kernel thread has none. They may be megabytes.
  std::array<char, 4096> buffer{};
  std::string line(read_start(folder_of(pid, root) + "/cmdline", buffer));
  while (!line.empty() && (line.back() == '\0' || line.back() == ' ')) line.pop_back();
  std::replace(line.begin(), line.end(), '\0', ' ');
  owner.command = base::printable(line);
  owner.user = Processes(root).owner(pid);
  return owner;
}

std::string user_name(unsigned user) {
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 4096> text{};
  const bool known = getpwuid_r(user, &entry, text.data(), text.size(), &found) == 0 && found != nullptr;
  return known ? base::printable(entry.pw_name) : std::to_string(user);
}

std::vector<ThreadView> threads_of(int pid, const std::string& root) {
  std::vector<ThreadView> threads;
  const std::string tasks = folder_of(pid, root) + "/task";
  for (const int tid : numbered_entries(tasks)) {
    const std::string folder = tasks + "/" + std::to_string(tid);
    const Stat file(folder);
    if (!file.stat) continue;
    ThreadView view;
    view.tid = tid;
    view.pid = pid;
    view.name = file.name();
    view.state = file.stat->state;
    view.cpu = file.stat->cpu;
    view.cpu_s = static_cast<double>(file.stat->used_ticks) * tick_seconds();
    view.page_faults = file.stat->minor_faults + file.stat->major_faults;
    if (const auto time = parse_schedstat(read_text(folder + "/schedstat"))) {
      view.cpu_s = static_cast<double>(time->run_ns) * 1e-9;
      view.waiting_s = static_cast<double>(time->wait_ns) * 1e-9;
    }
    threads.push_back(std::move(view));
  }
  return threads;
}

}  // namespace charm::os
