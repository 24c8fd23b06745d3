#include "os/threads/thread_switches.hpp"

#include <array>

#include "os/files/system_files.hpp"

namespace charm::os {

namespace {

/// Time on a cpu, time waiting for one, times scheduled.
std::optional<std::uint64_t> times_scheduled(const std::string& file) {
  std::array<char, 96> buffer{};
  std::string_view text = read_start(file, buffer.data(), buffer.size());
  const auto run = next_number<std::uint64_t>(text);
  const auto waited = next_number<std::uint64_t>(text);
  const auto times = next_number<std::uint64_t>(text);
  return run && waited ? times : std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> switches_of(int pid, const std::string& root) {
  const std::string folder = path_below(root, "proc/" + std::to_string(pid) + "/task");
  std::optional<std::uint64_t> sum;
  for (const int thread : numbered_entries(folder)) {
    const auto times = times_scheduled(folder + "/" + std::to_string(thread) + "/schedstat");
    if (times) sum = sum.value_or(0) + *times;
  }
  return sum;
}

std::optional<std::uint64_t> switches_of_thread(int thread, const std::string& root) {
  return times_scheduled(path_below(root, "proc/" + std::to_string(thread) + "/schedstat"));
}

}  // namespace charm::os
