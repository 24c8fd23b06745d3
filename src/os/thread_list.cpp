#include "os/thread_list.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

#include "os/clock_ticks.hpp"

namespace charm::os {
namespace {

namespace fs = std::filesystem;

std::string content(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<int> numbered_entries(const fs::path& folder) {
  std::vector<int> numbers;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (const auto id = number<int>(at->path().filename().string())) numbers.push_back(*id);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

/// The fields of a stat file from the third (the state) on; the name before it may hold anything.
struct Stat {
  std::string name;
  std::vector<std::string_view> fields;  // [0] is field 3 of proc(5)
  std::string text;

  [[nodiscard]] std::uint64_t at(std::size_t field) const {
    return fields.size() + 3 > field ? number<std::uint64_t>(fields[field - 3]).value_or(0) : 0;
  }
};

bool read_stat(const fs::path& path, Stat& stat) {
  stat.text = content(path);
  const auto open = stat.text.find('(');
  const auto close = stat.text.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return false;
  stat.name = stat.text.substr(open + 1, close - open - 1);
  for (char& c : stat.name) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  std::string_view rest = std::string_view(stat.text).substr(close + 1);
  while (!rest.empty()) {
    const auto from = rest.find_first_not_of(" \n");
    if (from == std::string_view::npos) break;
    const auto to = std::min(rest.find_first_of(" \n", from), rest.size());
    stat.fields.push_back(rest.substr(from, to - from));
    rest.remove_prefix(to);
  }
  return stat.fields.size() >= 13;
}

// Fields of proc(5).
constexpr std::size_t minor_faults = 10, major_faults = 12, user = 14, system = 15, thread_count = 20, start = 22,
                      last_cpu = 39;

fs::path folder_of(int pid, const std::string& root) { return fs::path(root) / "proc" / std::to_string(pid); }

}  // namespace

std::optional<ProcessView> process(int pid, const std::string& root) {
  Stat stat;
  if (!read_stat(folder_of(pid, root) / "stat", stat)) return std::nullopt;
  ProcessView view;
  view.pid = pid;
  view.name = stat.name;
  view.threads = static_cast<int>(stat.at(thread_count));
  view.cpu_s = static_cast<double>(stat.at(user) + stat.at(system)) * tick_s();
  view.started = stat.at(start);
  return view;
}

std::vector<ProcessView> processes(const std::string& root) {
  std::vector<ProcessView> all;
  for (const int pid : numbered_entries(fs::path(root) / "proc")) {
    if (auto view = process(pid, root)) all.push_back(std::move(*view));
  }
  return all;
}

std::vector<ThreadView> threads_of(int pid, const std::string& root) {
  std::vector<ThreadView> threads;
  const fs::path tasks = folder_of(pid, root) / "task";
  for (const int tid : numbered_entries(tasks)) {
    Stat stat;
    const fs::path folder = tasks / std::to_string(tid);
    if (!read_stat(folder / "stat", stat)) continue;
    ThreadView view;
    view.tid = tid;
    view.pid = pid;
    view.name = stat.name;
    view.state = stat.fields[0].front();
    view.cpu = stat.fields.size() + 3 > last_cpu ? static_cast<int>(stat.at(last_cpu)) : -1;
    view.cpu_s = static_cast<double>(stat.at(user) + stat.at(system)) * tick_s();
    view.page_faults = stat.at(minor_faults) + stat.at(major_faults);
    std::ifstream schedstat(folder / "schedstat");
    std::uint64_t ran_ns = 0;
    std::uint64_t waited_ns = 0;
    if (schedstat >> ran_ns >> waited_ns) {
      view.cpu_s = static_cast<double>(ran_ns) * 1e-9;
      view.waiting_s = static_cast<double>(waited_ns) * 1e-9;
    }
    threads.push_back(std::move(view));
  }
  return threads;
}

}  // namespace charm::os
