#include "os/processes.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <string_view>
#include <unistd.h>
#include <utility>

#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

namespace charm::os {
namespace {

/// The beginning of a small file, without a stream's cost; the text lies in `buffer`.
template <std::size_t n>
std::string_view read_start(const std::string& path, std::array<char, n>& buffer) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t got = read(file, buffer.data(), buffer.size());
  close(file);
  return got > 0 ? std::string_view(buffer.data(), static_cast<std::size_t>(got)) : std::string_view();
}

std::string read_all(const std::string& path) {
  std::string text;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return text;
  std::array<char, 4096> part{};
  for (ssize_t got = 0; (got = read(file, part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(got));
  close(file);
  return text;
}

/// The next number of `text`, which loses what was read; nothing at its end.
template <class Number>
std::optional<Number> next_number(std::string_view& text) {
  const std::size_t begin = text.find_first_not_of(" \t\n");
  if (begin == std::string_view::npos) return std::nullopt;
  Number value{};
  const auto [end, error] = std::from_chars(text.data() + begin, text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

void skip_words(std::string_view& text, int words) {
  for (; words > 0; --words) {
    const std::size_t begin = text.find_first_not_of(' ');
    if (begin == std::string_view::npos) return text.remove_prefix(text.size());
    text.remove_prefix(std::min(text.size(), text.find(' ', begin)));
  }
}

std::vector<int> numbered_entries(const std::string& folder) {
  std::vector<int> numbers;
  const std::unique_ptr<DIR, int (*)(DIR*)> open_folder(opendir(folder.c_str()), closedir);
  if (!open_folder) return numbers;
  while (const dirent* entry = readdir(open_folder.get())) {
    const std::string_view name = entry->d_name;
    int number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error == std::errc() && end == name.data() + name.size()) numbers.push_back(number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

}  // namespace

Processes::Processes(std::string root) : proc_(std::move(root) + "/proc/") {
  // Containers show a /proc/loadavg of their own making, which lags behind.
  struct statfs system{};
  trusts_loadavg_ = proc_ != "//proc/" || (statfs("/proc/loadavg", &system) == 0 && system.f_type == PROC_SUPER_MAGIC);
}

std::string Processes::file(int pid, const char* name) const { return proc_ + std::to_string(pid) + "/" + name; }

std::string Processes::file(int pid, int thread, const char* name) const {
  return proc_ + std::to_string(pid) + "/task/" + std::to_string(thread) + "/" + name;
}

std::optional<ProcessStatus> Processes::status(int pid) const {
  std::array<char, 1024> buffer{};
  std::string_view text = read_start(file(pid, "stat"), buffer);
  const std::size_t name_end = text.rfind(')');  // a name may hold brackets and blanks
  if (name_end == std::string_view::npos || name_end + 2 >= text.size()) return std::nullopt;
  text.remove_prefix(name_end + 2);
  ProcessStatus status;
  status.state = text.front();
  text.remove_prefix(1);
  status.parent = next_number<int>(text).value_or(0);
  skip_words(text, 4);                                 // group, session, terminal, its group
  constexpr std::uint64_t kernel_thread = 0x00200000;  // PF_KTHREAD
  status.kernel = (next_number<std::uint64_t>(text).value_or(0) & kernel_thread) != 0;
  skip_words(text, 4);  // faults
  status.used_ticks = next_number<std::uint64_t>(text).value_or(0) + next_number<std::uint64_t>(text).value_or(0);
  status.waited_ticks = next_number<std::uint64_t>(text).value_or(0) + next_number<std::uint64_t>(text).value_or(0);
  skip_words(text, 4);  // priority, nice, threads, an old timer
  const auto started = next_number<std::uint64_t>(text);
  if (!started) return std::nullopt;
  status.started = *started;
  return status;
}

std::optional<unsigned> Processes::owner(int pid) const {
  std::string_view text;
  const std::string whole = read_all(file(pid, "status"));
  const std::size_t at = whole.find("\nUid:");
  if (at == std::string::npos) return std::nullopt;
  text = std::string_view(whole).substr(at + 5);
  next_number<unsigned>(text);  // the real one
  return next_number<unsigned>(text);
}

std::optional<int> Processes::process_of(int thread) const {
  const std::string whole = read_all(file(thread, "status"));
  const std::size_t at = whole.find("\nTgid:");
  if (at == std::string::npos) return std::nullopt;
  std::string_view text = std::string_view(whole).substr(at + 6);
  return next_number<int>(text);
}

std::vector<int> Processes::threads(int pid) const { return numbered_entries(file(pid, "task")); }

std::vector<int> Processes::children(int pid, int thread) const {
  std::vector<int> pids;
  const std::string path = file(pid, thread, "children");
  if (access(path.c_str(), R_OK) == 0) {
    const std::string whole = read_all(path);
    std::string_view text = whole;
    while (const auto child = next_number<int>(text)) pids.push_back(*child);
    return pids;
  }
  if (thread != pid) return pids;  // a kernel without that file: the parents of all processes, once a process
  for (const int other : numbered_entries(proc_)) {
    if (const auto known = status(other); known && known->parent == pid) pids.push_back(other);
  }
  return pids;
}

std::optional<ThreadTime> Processes::time(int pid, int thread) const {
  std::array<char, 1024> buffer{};
  if (const auto time = parse_schedstat(read_start(schedstat(pid, thread), buffer))) return time;
  std::string_view text = read_start(file(pid, thread, "stat"), buffer);
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  text.remove_prefix(name_end + 1);
  skip_words(text, 11);
  const auto user = next_number<std::uint64_t>(text);
  const auto system = next_number<std::uint64_t>(text);
  if (!user || !system) return std::nullopt;
  static const auto ticks_per_second = static_cast<std::uint64_t>(std::max(1L, sysconf(_SC_CLK_TCK)));
  return ThreadTime{(*user + *system) * (1'000'000'000 / ticks_per_second), 0};
}

std::string Processes::name(int pid, int thread) const {
  std::array<char, 64> buffer{};
  std::string_view text = read_start(file(pid, thread, "comm"), buffer);
  if (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  return std::string(text);
}

std::optional<int> Processes::last_created() const {
  if (!trusts_loadavg_) return std::nullopt;
  std::array<char, 128> buffer{};
  std::string_view text = read_start(proc_ + "loadavg", buffer);  // "0.1 0.2 0.3 2/345 6789"
  skip_words(text, 4);
  return next_number<int>(text);
}

bool Processes::alive(const ProcessIdentity& process) const {
  const auto known = status(process.pid);
  return known && known->started == process.started && known->state != 'Z' && known->state != 'X';
}

double tick_seconds() {
  static const long per_second = sysconf(_SC_CLK_TCK);
  return 1.0 / static_cast<double>(per_second > 0 ? per_second : 100);
}

ProcessIdentity this_process(const Processes& processes) {
  const int pid = getpid();
  const auto known = processes.status(pid);
  return {pid, known ? known->started : 0};
}

std::uint64_t process_namespace(const std::string& root) {
  struct stat known{};
  return stat((root + "/proc/self/ns/pid").c_str(), &known) == 0 ? static_cast<std::uint64_t>(known.st_ino) : 0;
}

}  // namespace charm::os
