#include "os/threads/thread_list.hpp"

#include <utility>

#include "os/files/system_files.hpp"
#include "os/processes/process_stat.hpp"
#include "os/threads/schedstat.hpp"

namespace charm::os {
namespace {

/// The file's text, which the name in it refers to, and what it says.
struct Stat {
  std::string text;
  std::optional<ProcessStat> stat;
  explicit Stat(const std::string& folder) : text(read_text(folder + "/stat")), stat(parse_process_stat(text)) {}

  /// The text without control characters, which could change the terminal.
  [[nodiscard]] std::string name() const {
    std::string plain(stat->name);
    for (char& c : plain) {
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    }
    return plain;
  }
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
  return view;
}

std::vector<ProcessView> processes(const std::string& root) {
  std::vector<ProcessView> all;
  for (const int pid : numbered_entries(path_below(root, "proc"))) {
    if (auto view = process(pid, root)) all.push_back(std::move(*view));
  }
  return all;
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
